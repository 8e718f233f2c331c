import { randomCharacters } from "#contract/ids.ts";
import type { Call } from "#web/data/call.ts";
import { withTabLock } from "#web/data/session/credentials.ts";
import type { CallError } from "#web/data/call-error.ts";
import { callFailureOf } from "#web/data/failure.ts";
import { withRetries } from "#web/data/retry.ts";
import { fileIdOf } from "../own-file.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { t } from "#web/i18n/translate.ts";
import type { StoredUpload, UploadStore } from "./upload-store.ts";
import type { sendFile } from "../send-file.ts";
import { assertReadable, isNotFound, sendUpload } from "./send-upload.ts";
import type { Upload } from "./upload.ts";

/**
 * The files of unsent messages. Each is uploaded as soon as it is added, and kept on this device until its message is
 * sent or it is removed, so that it survives a reload.
 */
export type Uploads = {
  all: Pick<Store<readonly Upload[]>, "get" | "subscribe">;
  add: (topic: string, file: File) => Upload;
  /** Adds a file that the server has already. */
  addStored: (topic: string, file: Pick<Upload, "name" | "type" | "sizeBytes" | "address">) => Upload;
  /** Uploads a failed file again. */
  retry: (id: string) => void;
  /** Removes the file and cancels its upload. */
  remove: (id: string) => void;
  /**
   * Removes the files of a topic from this device. Not from the server, because another tab may have sent them: it
   * deletes those that no message links to.
   */
  erase: (topic: string) => void;
  /** Gives the files of a topic to another one, or stores them again where the topic is stored now. */
  move: (from: string, to: string) => void;
  /** Restores the files of all topics from this device, once. */
  restore: () => Promise<void>;
  /** The bytes, if this page has them: for the preview in the composer. */
  fileOf: (id: string) => Blob | undefined;
  /** Uploads again what failed while there was no connection. Call it when the connection is back. */
  onReconnect: () => void;
  /** Checks, at most every 10 minutes, whether the server still has the uploaded files. */
  verify: () => void;
  /** Gives the files of a former user to the current one. */
  inherit: (formerId: string | undefined) => Promise<void>;
  /** Cancels the uploads, because another user is signed in. The files stay on the device for the former user. */
  leave: () => void;
};

/** Browsers open six connections per origin; the others are left for calls and the event stream. */
const maxConcurrent = 3;
/** 10 minutes: the server deletes files without a message after a day. */
const verifyIntervalMs = 10 * 60_000;

export function createUploads(options: {
  call: Call;
  sendFile: typeof sendFile;
  store: UploadStore;
  /** The current user's id; `undefined` before the server has identified anyone. */
  owner: () => string | undefined;
}): Uploads {
  const { call, store, owner } = options;
  const all = createStore<readonly Upload[]>([]);
  const files = new Map<string, Blob>();
  const running = new Map<string, AbortController>();
  /** URLs whose file the server has deleted. */
  const deleted = new Set<string>();
  /** By topic, when its files were erased, so that files are not restored that were stored before. */
  const erasedAtMs = new Map<string, number>();
  let lastAddedAtMs = 0;
  let verifiedAtMs = 0;
  let restoring: Promise<void> | undefined;
  let userEpoch = 1;

  const nextAddedAtMs = () => (lastAddedAtMs = Math.max(Date.now(), lastAddedAtMs + 1));
  const find = (id: string) => all.get().find((upload) => upload.id === id);

  function change(id: string, changed: Partial<Upload>): void {
    all.set(all.get().map((upload) => (upload.id === id ? { ...upload, ...changed } : upload)));
  }

  function startWaiting(): void {
    for (const { id, state } of all.get()) {
      if (running.size >= maxConcurrent) return;
      if (state === "waiting" && !running.has(id)) void upload(id);
    }
  }

  async function upload(id: string): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      // Another tab may have restored the same file after a reload.
      await withTabLock(`parlance-upload-${id}`, async () => {
        await withRetries(async () => await uploadOnce(id, controller.signal), {
          signal: controller.signal,
          onRetry: () => change(id, { sentBytes: 0 }),
        });
      });
    } catch (error) {
      if (!controller.signal.aborted) change(id, { state: "failed", failure: callFailureOf(error) });
    } finally {
      running.delete(id);
      startWaiting();
    }
  }

  async function uploadOnce(id: string, signal: AbortSignal): Promise<void> {
    const [upload, file] = [find(id), files.get(id)];
    if (upload === undefined || file === undefined) return;
    const uploaded = await store.find(id);
    if (uploaded?.address !== undefined && !deleted.has(uploaded.address))
      return change(id, { state: "ready", sentBytes: upload.sizeBytes, address: uploaded.address });
    await assertReadable(file);
    change(id, { state: "uploading", sentBytes: 0 });
    const address = await sendUpload(options, upload, file, {
      signal,
      onProgress: (sentBytes) => change(id, { sentBytes }),
    });
    change(id, { state: "ready", sentBytes: upload.sizeBytes, address });
    await store.write(toStored(find(id) ?? upload, owner(), file));
  }

  function verify(): void {
    if (Date.now() - verifiedAtMs < verifyIntervalMs) return;
    verifiedAtMs = Date.now();
    for (const upload of all.get()) if (upload.state === "ready") void verifyUpload(upload);
  }

  /** Only "not found" counts; a failed request does not say anything about the file. */
  async function verifyUpload({ id, address = "" }: Upload): Promise<void> {
    const fileId = fileIdOf(address);
    if (fileId === undefined) return;
    try {
      await call("files.get", { params: { file_id: fileId } });
    } catch (error) {
      // Verify again when the connection is back.
      if (!isNotFound(error)) verifiedAtMs = 0;
      else if (find(id)?.address === address) replaceDeleted(id, address, error);
    }
  }

  /** The server has deleted the file: uploads it again if this page has its bytes, or else marks it as failed. */
  function replaceDeleted(id: string, address: string, error: CallError): void {
    deleted.add(address);
    const change: Partial<Upload> = files.has(id)
      ? { state: "waiting", sentBytes: 0 }
      : { state: "failed", failure: callFailureOf(error) };
    all.set(
      all.get().map((upload) => {
        if (upload.id !== id) return upload;
        const { address: _, ...rest } = upload;
        return { ...rest, ...change };
      }),
    );
    startWaiting();
  }

  function remove(id: string): void {
    running.get(id)?.abort(new DOMException("The file was removed.", "AbortError"));
    all.set(all.get().filter((upload) => upload.id !== id));
    files.delete(id);
    void store.remove(id);
  }

  function start(upload: Upload, file: Blob): void {
    files.set(upload.id, file);
    all.set([...all.get(), upload]);
    startWaiting();
  }

  function retryFailed(isWanted: (upload: Upload) => boolean): void {
    all.set(
      all.get().map((upload) => {
        if (upload.state !== "failed" || !isWanted(upload)) return upload;
        const { failure: _, ...rest } = upload;
        return { ...rest, state: "waiting", sentBytes: 0 };
      }),
    );
    startWaiting();
  }

  async function restore(): Promise<void> {
    const [ownerId, epoch] = [owner(), userEpoch];
    for (const { file, owner: ownerOfFile, ...upload } of await store.read()) {
      const { id, address, sizeBytes, addedAtMs } = upload;
      if (ownerOfFile !== ownerId || epoch !== userEpoch || find(id) !== undefined) continue;
      if (addedAtMs <= (erasedAtMs.get(upload.topic) ?? 0)) {
        void store.remove(id);
        continue;
      }
      if (address !== undefined) {
        if (file !== undefined) files.set(id, file);
        const ready: Upload = { ...upload, state: "ready", sentBytes: sizeBytes };
        all.set([...all.get(), ready]);
        void verifyUpload(ready);
      } else if (file !== undefined) start({ ...upload, state: "waiting", sentBytes: 0 }, file);
    }
  }

  return {
    all,
    add(topic, file) {
      const { name, type, size } = file;
      const upload: Upload = {
        id: randomCharacters(14),
        topic,
        // A pasted picture may have no name.
        name: name === "" ? t("fileKind.other") : name,
        type,
        sizeBytes: size,
        addedAtMs: nextAddedAtMs(),
        state: "waiting",
        sentBytes: 0,
      };
      void store.write(toStored(upload, owner(), file));
      start(upload, file);
      return upload;
    },
    addStored(topic, file) {
      const upload: Upload = {
        ...file,
        id: randomCharacters(14),
        topic,
        addedAtMs: nextAddedAtMs(),
        state: "ready",
        sentBytes: file.sizeBytes,
      };
      void store.write(toStored(upload, owner(), undefined));
      all.set([...all.get(), upload]);
      return upload;
    },
    retry: (id) => retryFailed((upload) => upload.id === id),
    remove,
    erase(topic) {
      erasedAtMs.set(topic, nextAddedAtMs());
      for (const { id } of all.get().filter((upload) => upload.topic === topic)) remove(id);
    },
    move(from, to) {
      for (const { id } of all.get().filter((upload) => upload.topic === from)) {
        change(id, { topic: to, addedAtMs: nextAddedAtMs() });
        void store.write(toStored(find(id)!, owner(), files.get(id)));
      }
    },
    restore: async () => await (restoring ??= restore()),
    fileOf: (id) => files.get(id),
    onReconnect() {
      retryFailed((upload) => upload.failure?.retry === true);
      verify();
    },
    verify,
    async inherit(formerId) {
      for (const { owner: before, ...it } of await store.read())
        if (before === formerId) await store.write({ ...it, ...ownedBy(owner()) });
    },
    leave() {
      for (const controller of running.values())
        controller.abort(new DOMException("Another user is signed in.", "AbortError"));
      all.set([]);
      files.clear();
      restoring = undefined;
      userEpoch++;
    },
  };
}

function toStored(
  { id, topic, name, type, sizeBytes, addedAtMs, address }: Upload,
  owner: string | undefined,
  file: Blob | undefined,
): StoredUpload {
  return {
    id,
    topic,
    name,
    type,
    sizeBytes,
    addedAtMs,
    ...ownedBy(owner),
    ...(address === undefined ? {} : { address }),
    ...(file === undefined ? {} : { file }),
  };
}

function ownedBy(owner: string | undefined): Pick<StoredUpload, "owner"> {
  return owner === undefined ? {} : { owner };
}
