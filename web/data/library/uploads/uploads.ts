import type { ResponseOf } from "#contract/api.ts";
import { chanceCharacters } from "#contract/ids.ts";
import { backoffMs, pause } from "#web/lib/backoff.ts";
import type { Call } from "#web/data/call.ts";
import { alone } from "#web/data/session/credentials.ts";
import { CallError } from "#web/data/call-error.ts";
import { failureOf } from "#web/data/failure.ts";
import { fileIdOf } from "../own-file.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { t } from "#web/i18n/translate.ts";
import type { KeptFile, KeptFiles } from "./kept-files.ts";
import type { sendFile } from "../send-file.ts";
import type { Upload } from "./upload.ts";

/**
 * The files of messages that are being written. Each is on its way as soon as it is added, and kept on this device
 * until it was sent or taken out, so that a reload takes nothing away.
 */
export type Uploads = {
  all: Pick<Store<readonly Upload[]>, "get" | "subscribe">;
  add: (topic: string, file: File) => Upload;
  /** Tries once more what has failed. */
  again: (id: string) => void;
  /** Takes it out; an upload under way is broken off. */
  remove: (id: string) => void;
  /** What was there when the page was closed, of all topics. Read once. */
  restored: () => Promise<void>;
  /** The bytes, for a picture in the composer, while this page has them. */
  fileOf: (id: string) => Blob | undefined;
  /** The line is back: goes on with what failed for the lack of it. */
  lineIsBack: () => void;
  /** Somebody is back at the page: asks whether what was ready is still there. */
  look: () => void;
  /** All that was `from`'s is the owner's now. */
  inherit: (from: string | undefined) => Promise<void>;
  /** Somebody else is here: what the former person attached waits for them on the device. */
  leave: () => void;
};

/** As many at once as leave the line room for answers: browsers open six connections to one origin. */
const together = 3;
/** 10 minutes between two looks: the service lets go of what no message speaks of after a day. */
const looksApartMs = 10 * 60_000;
/** Three tries at once; after that it waits for the line, or for the person. */
const triesAtOnce = 3;

export function createUploads(options: {
  call: Call;
  sendFile: typeof sendFile;
  kept: KeptFiles;
  /** Whose files these are; absent before anybody is known. */
  owner: () => string | undefined;
}): Uploads {
  const { call, kept, owner } = options;
  const all = createStore<readonly Upload[]>([]);
  const files = new Map<string, Blob>();
  const underWay = new Map<string, AbortController>();
  /** Addresses of which the service has said that nothing is there any more. */
  const gone = new Set<string>();
  let lookedAtMs = 0;
  let restoring: Promise<void> | undefined;
  let people = 1;

  const find = (id: string) => all.get().find((upload) => upload.id === id);

  function change(id: string, changed: Partial<Upload>): void {
    all.set(all.get().map((upload) => (upload.id === id ? { ...upload, ...changed } : upload)));
  }

  function goOn(): void {
    for (const { id, state } of all.get()) {
      if (underWay.size >= together) return;
      if (state === "waiting" && !underWay.has(id)) void upload(id);
    }
  }

  async function upload(id: string): Promise<void> {
    const ending = new AbortController();
    underWay.set(id, ending);
    try {
      // Another tab of this browser may have found it after its own reload.
      await alone(`parlance-upload-${id}`, async () => {
        const work = async () => await once(id, ending.signal);
        await withTries(work, ending.signal, () => change(id, { sentBytes: 0 }));
      });
    } catch (error) {
      if (!ending.signal.aborted) change(id, { state: "failed", failure: failureOf(error) });
    } finally {
      underWay.delete(id);
      goOn();
    }
  }

  async function once(id: string, signal: AbortSignal): Promise<void> {
    const [upload, file] = [find(id), files.get(id)];
    if (upload === undefined || file === undefined) return;
    const elsewhere = await kept.find(id);
    if (elsewhere?.address !== undefined && !gone.has(elsewhere.address))
      return change(id, { state: "ready", sentBytes: upload.sizeBytes, address: elsewhere.address });
    await readable(file);
    change(id, { state: "uploading", sentBytes: 0 });
    const { name, type, sizeBytes } = upload;
    const given = await call(
      "files.upload",
      { body: { filename: name, content_length: sizeBytes, ...(type === "" ? {} : { content_type: type }) } },
      signal,
    );
    // No header of ours: the address is the credential, and may be a bucket's.
    const refused = await options.sendFile({ method: "PUT", url: given.signedUrl }, file, {
      signal,
      sent: (sentBytes) => change(id, { sentBytes }),
    });
    if (refused !== undefined) throw refused;
    signal.throwIfAborted();
    // A bucket tells nobody what came to it, and takes what has no room any more: the service looks when it is asked.
    if (!isOfService(given)) await takenIn(given.file_id, signal);
    change(id, { state: "ready", sentBytes: sizeBytes, address: given.publicUrl });
    await kept.write(keptOf(find(id) ?? upload, owner(), file));
  }

  function look(): void {
    if (Date.now() - lookedAtMs < looksApartMs) return;
    lookedAtMs = Date.now();
    for (const upload of all.get()) if (upload.state === "ready") void lookFor(upload);
  }

  /** Nothing but the service's own word counts: a line that is down says nothing of the file. */
  async function lookFor({ id, address = "" }: Upload): Promise<void> {
    const fileId = fileIdOf(address);
    if (fileId === undefined) return;
    try {
      await call("files.get", { params: { file_id: fileId } });
    } catch (error) {
      // Asked again as soon as the line is back.
      if (!isNotFound(error)) lookedAtMs = 0;
      else if (find(id)?.address === address) lose(id, address, error);
    }
  }

  /** Sends it again where its bytes are here, and says that it is gone where they are not. */
  function lose(id: string, address: string, error: CallError): void {
    gone.add(address);
    const lost: Partial<Upload> = files.has(id)
      ? { state: "waiting", sentBytes: 0 }
      : { state: "failed", failure: failureOf(error) };
    all.set(
      all.get().map((upload) => {
        if (upload.id !== id) return upload;
        const { address: _, ...rest } = upload;
        return { ...rest, ...lost };
      }),
    );
    goOn();
  }

  async function takenIn(fileId: string, signal: AbortSignal): Promise<void> {
    try {
      const ask = async () => void (await call("files.get", { params: { file_id: fileId } }, signal));
      await withTries(ask, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // Refused while somebody else looked, and gone: sent again, it is told why.
      throw new CallError({ ...error.failure, retry: true }, { status: 404, cause: error });
    }
  }

  function begin(upload: Upload, file: Blob): void {
    files.set(upload.id, file);
    all.set([...all.get(), upload]);
    goOn();
  }

  function retry(wanted: (upload: Upload) => boolean): void {
    for (const upload of all.get()) {
      if (upload.state !== "failed" || !wanted(upload)) continue;
      const { failure: _, ...rest } = upload;
      all.set(
        all.get().map((each) => (each.id === upload.id ? { ...rest, state: "waiting", sentBytes: 0 } : each)),
      );
    }
    goOn();
  }

  async function restore(): Promise<void> {
    const [whose, person] = [owner(), people];
    for (const { id, topic, name, type, sizeBytes, address, file, ...it } of await kept.read()) {
      if (it.owner !== whose || person !== people || find(id) !== undefined) continue;
      const upload = { id, topic, name, type, sizeBytes };
      if (address !== undefined) {
        if (file !== undefined) files.set(id, file);
        const ready: Upload = { ...upload, address, state: "ready", sentBytes: sizeBytes };
        all.set([...all.get(), ready]);
        void lookFor(ready);
      } else if (file !== undefined) begin({ ...upload, state: "waiting", sentBytes: 0 }, file);
    }
  }

  return {
    all,
    add(topic, file) {
      const { name, type, size } = file;
      const upload: Upload = {
        id: chanceCharacters(14),
        topic,
        // A pasted picture may have none.
        name: name === "" ? t("file.unnamed") : name,
        type,
        sizeBytes: size,
        state: "waiting",
        sentBytes: 0,
      };
      void kept.write(keptOf(upload, owner(), file));
      begin(upload, file);
      return upload;
    },
    again: (id) => retry((upload) => upload.id === id),
    remove(id) {
      underWay.get(id)?.abort(new DOMException("Taken out.", "AbortError"));
      all.set(all.get().filter((upload) => upload.id !== id));
      files.delete(id);
      void kept.remove(id);
    },
    restored: async () => await (restoring ??= restore()),
    fileOf: (id) => files.get(id),
    lineIsBack() {
      retry((upload) => upload.failure?.retry === true);
      look();
    },
    look,
    async inherit(from) {
      for (const { owner: before, ...it } of await kept.read())
        if (before === from) await kept.write({ ...it, ...ownedBy(owner()) });
    },
    leave() {
      for (const ending of underWay.values()) ending.abort(new DOMException("Another person.", "AbortError"));
      all.set([]);
      files.clear();
      restoring = undefined;
      people++;
    },
  };
}

/** Whether the bytes went to the service itself, which has answered for them. */
function isOfService({ signedUrl, publicUrl }: ResponseOf<"files.upload">): boolean {
  return new URL(signedUrl, publicUrl).origin === new URL(publicUrl).origin;
}

function isNotFound(error: unknown): error is CallError {
  return error instanceof CallError && error.failure.code === "file-not-found";
}

async function withTries(
  work: () => Promise<void>,
  signal: AbortSignal,
  again: () => void = () => {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !(error instanceof CallError) || !error.failure.retry || tries === triesAtOnce)
        throw error;
      again();
      await pause(error.retryAfterMs ?? backoffMs(tries), signal);
    }
  }
}

function keptOf(
  { id, topic, name, type, sizeBytes, address }: Upload,
  owner: string | undefined,
  file: Blob | undefined,
): KeptFile {
  return {
    id,
    topic,
    name,
    type,
    sizeBytes,
    addedAtMs: Date.now(),
    ...ownedBy(owner),
    ...(address === undefined ? {} : { address }),
    ...(file === undefined ? {} : { file }),
  };
}

function ownedBy(owner: string | undefined): Pick<KeptFile, "owner"> {
  return owner === undefined ? {} : { owner };
}

/** A folder, or a file that was moved or changed on the disk since it was chosen, fails at its first byte. */
async function readable(file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new CallError({ code: "unreadable-file", retry: false }, { cause });
  }
}
