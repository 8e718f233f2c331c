import type { ImportEvent } from "#contract/endpoints/imports.ts";
import type { ExportFormat } from "#contract/endpoints/exports.ts";
import { createParser } from "eventsource-parser";
import { requestLineOf } from "#web/data/request-line.ts";
import { attempt, clientHeader, withRenewal, type Fetch } from "../call.ts";
import { isOwnOrigin } from "../session/base-url.ts";
import type { Credentials } from "../session/credentials.ts";
import { CallError, networkError } from "../call-error.ts";
import { sendFile } from "../files/send-file.ts";
import type { NamedFile } from "./save-file.ts";

/** Exports and imports. */
export type Transfers = {
  /**
   * Downloads an export and calls `onProgress` with the number of received bytes. The server names the file. Throws
   * `CallError`, or the signal's reason.
   */
  download(
    source: ExportSource,
    onProgress: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<NamedFile>;
  /**
   * Uploads a file to import, or with `isPreview` to say what an import would add; reports the sent bytes and then each
   * event. Throws what `download` throws.
   */
  importFile(
    file: File,
    how: { endpoint: "imports.add" | "imports.everyone"; isPreview: boolean },
    handlers: ImportHandlers,
    signal: AbortSignal,
  ): Promise<void>;
};

export type ExportSource = { threadId: string; format: ExportFormat } | "everything";
export type ImportHandlers = { onSent(bytes: number): void; onEvent(event: ImportEvent): void };

export function createTransfers(options: {
  baseUrl: string;
  fetch: Fetch;
  credentials: Credentials;
}): Transfers {
  const { baseUrl, credentials } = options;

  return {
    async download(source, onProgress, signal) {
      const url = baseUrl + urlOf(source);
      const response = await withRenewal(
        credentials,
        async (headers) => await attempt(options, url, { method: "GET", signal }, headers),
      );
      if (response instanceof CallError) throw response;
      const name = nameIn(response.headers.get("Content-Disposition") ?? "") ?? "export";
      return { name, blob: await readBlob(response, onProgress, signal) };
    },

    async importFile(file, { endpoint, isPreview }, handlers, signal) {
      const parser = createParser({
        onEvent(event) {
          if (event.event === "error") return void (failed = errorIn(event.data));
          const importEvent = JSON.parse(event.data) as ImportEvent;
          if (importEvent.type === "import-end") hasEnded = true;
          handlers.onEvent(importEvent);
        },
      });
      let failed: CallError | undefined;
      let hasEnded = false;
      const url = `${baseUrl}${requestLineOf(endpoint).path}${isPreview ? "?preview=true" : ""}`;
      const outcome = await withRenewal(
        credentials,
        async (auth) =>
          await sendFile(
            {
              method: "POST",
              url,
              headers: {
                ...auth,
                "Content-Type": "application/octet-stream",
                ...(isOwnOrigin(baseUrl) ? clientHeader : {}),
              },
            },
            file,
            { signal, onProgress: handlers.onSent, onResponse: (text) => parser.feed(text) },
          ),
      );
      const failure = outcome ?? failed;
      if (failure !== undefined) throw failure;
      // A server that shuts down in the middle may end the response without an error.
      if (!hasEnded) throw networkError(undefined);
    },
  };
}

/** Reads the response through a stream that counts, so that the browser can keep a large file on disk. */
async function readBlob(
  response: Response,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length;
      onProgress(bytes);
      controller.enqueue(chunk);
    },
  });
  try {
    const { headers } = response;
    return await new Response(response.body?.pipeThrough(counter, { signal }), { headers }).blob();
  } catch (error) {
    if (signal.aborted) throw error;
    throw networkError(error);
  }
}

function urlOf(source: ExportSource): string {
  if (source === "everything") return requestLineOf("exports.everything").path;
  const path = requestLineOf("exports.thread").path.replace(
    "{thread_id}",
    encodeURIComponent(source.threadId),
  );
  return `${path}?format=${source.format}`;
}

function nameIn(disposition: string): string | undefined {
  const exact = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  return exact === undefined ? undefined : decodeURIComponent(exact);
}

/** The error event of an import that failed in the middle. */
function errorIn(data: string): CallError {
  const { code, message } = JSON.parse(data) as { code: string; message: string };
  return new CallError({ code, serverMessage: message, retry: true });
}
