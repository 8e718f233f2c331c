import type { ImportEvent } from "#contract/endpoints/imports.ts";
import type { ExportFormat } from "#contract/endpoints/exports.ts";
import { createParser } from "eventsource-parser";
import { paths } from "#contract/paths.ts";
import { attempt, isSessionLost, type Fetch } from "../call.ts";
import type { Credentials } from "../session/credentials.ts";
import { CallError, networkError } from "../call-error.ts";
import { sendFile } from "../library/send-file.ts";

/** Files on their way out of the service and into it. */
export type Carrier = {
  /**
   * A file of the service, told of in bytes while it comes; the name is the service's. Throws `CallError`, or the
   * signal's reason.
   */
  fetchFile(wanted: WantedFile, on: (bytes: number) => void, signal: AbortSignal): Promise<NamedFile>;
  /** Sends an export, and tells of its sending in bytes and then of each thread. Throws the same. */
  bringIn(file: File, on: ImportNews, signal: AbortSignal): Promise<void>;
};

export type WantedFile = { threadId: string; format: ExportFormat } | "everything";
export type NamedFile = { name: string; blob: Blob };
export type ImportNews = { sent(bytes: number): void; heard(event: ImportEvent): void };

/** Pieces are put together now and then: a browser keeps what is in a blob on the disk, and single pieces in memory. */
const blobPieces = 256;

export function createCarrier(options: { baseUrl: string; fetch: Fetch; credentials: Credentials }): Carrier {
  const { baseUrl, credentials } = options;

  /** Asks once more where the session was over in the meantime. */
  async function renewing(
    ask: (headers: Record<string, string>) => Promise<Response | CallError>,
  ): Promise<Response> {
    const headers = await credentials.headers();
    let outcome = await ask(headers);
    if (isSessionLost(outcome)) {
      await credentials.renew(headers);
      outcome = await ask(await credentials.headers());
    }
    if (outcome instanceof CallError) throw outcome;
    return outcome;
  }

  return {
    async fetchFile(wanted, on, signal) {
      const url = baseUrl + addressOf(wanted);
      const response = await renewing(
        async (headers) => await attempt(options, url, { method: "GET", signal }, headers),
      );
      const type = response.headers.get("Content-Type") ?? "";
      const name = nameIn(response.headers.get("Content-Disposition") ?? "") ?? "export";
      const blob = await collected(response, type, on, signal);
      return { name, blob };
    },

    async bringIn(file, on, signal) {
      const parser = createParser({
        onEvent(event) {
          if (event.event === "error") return void (failed = errorIn(event.data));
          const news = JSON.parse(event.data) as ImportEvent;
          if (news.type === "import-end") hasEnded = true;
          on.heard(news);
        },
      });
      let failed: CallError | undefined;
      let hasEnded = false;
      const url = baseUrl + paths["imports.add"].path;
      const send = async (headers: Record<string, string>) =>
        await sendFile(
          {
            method: "POST",
            url,
            headers: {
              ...headers,
              "Content-Type": "application/octet-stream",
              // The cookie counts only beside it.
              ...(baseUrl === "" ? { "Parlance-Client": "web" } : {}),
            },
          },
          file,
          { signal, sent: on.sent, heard: (text) => parser.feed(text) },
        );
      const headers = await credentials.headers();
      let outcome = await send(headers);
      if (isSessionLost(outcome)) {
        await credentials.renew(headers);
        outcome = await send(await credentials.headers());
      }
      const failure = outcome ?? failed;
      if (failure !== undefined) throw failure;
      // A server that went down in the middle may end its answers well.
      if (!hasEnded) throw networkError(undefined);
    },
  };
}

/** Saves a file where the browser puts what it downloads. */
export function saveFile({ name, blob }: NamedFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads it after this turn; a minute is long enough to begin.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function collected(
  response: Response,
  type: string,
  on: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  let whole = new Blob([], { type });
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const gather = () => {
    whole = new Blob([whole, ...pieces], { type });
    pieces = [];
  };
  try {
    const reader = response.body?.getReader();
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      signal.throwIfAborted();
      pieces.push(next.value);
      bytes += next.value.length;
      on(bytes);
      if (pieces.length === blobPieces) gather();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw networkError(error);
  }
  gather();
  return whole;
}

function addressOf(wanted: WantedFile): string {
  if (wanted === "everything") return paths["exports.everything"].path;
  const path = paths["exports.thread"].path.replace("{thread_id}", encodeURIComponent(wanted.threadId));
  return `${path}?format=${wanted.format}`;
}

function nameIn(disposition: string): string | undefined {
  const exact = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  return exact === undefined ? undefined : decodeURIComponent(exact);
}

/** The service's word for an import that failed in the middle. */
function errorIn(data: string): CallError {
  const { code, message } = JSON.parse(data) as { code: string; message: string };
  return new CallError({ code, said: message, retry: true });
}
