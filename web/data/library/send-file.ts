import { answerError, networkError, type CallError } from "../call-error.ts";

/** Where a file goes, and with which headers; its own type goes with it where none is said. */
export type FileRequest = { method: "POST" | "PUT"; url: string; headers?: Record<string, string> };

export type SendOptions = {
  signal: AbortSignal;
  /** How much has gone, in bytes. */
  sent: (bytes: number) => void;
  /** What comes back, as it comes. */
  heard?: (text: string) => void;
};

/** 60 s without a byte that goes: the line is dead, and whoever waits may try again. */
const stalledMs = 60_000;

/**
 * Sends a file, telling how much of it has gone and then what comes back: `fetch` tells nothing of the former. Answers
 * the failure where it is refused or the line breaks. Rejects with the signal's reason.
 */
export async function sendFile(
  { method, url, headers = {} }: FileRequest,
  file: Blob,
  { signal, sent, heard }: SendOptions,
): Promise<CallError | undefined> {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const done = Promise.withResolvers<CallError | undefined>();
  const stop = () => request.abort();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const moved = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, stalledMs);
  };
  let heardCharacters = 0;
  const listen = () => {
    if (!isGood(request.status)) return;
    const text = request.responseText.slice(heardCharacters);
    heardCharacters += text.length;
    heard?.(text);
  };
  request.upload.addEventListener("progress", ({ loaded }) => {
    moved();
    sent(loaded);
  });
  // From here on the service is at work, and says itself that it lives.
  request.upload.addEventListener("loadend", () => clearTimeout(timer));
  request.addEventListener("progress", listen);
  request.addEventListener("load", () => {
    listen();
    if (isGood(request.status)) return done.resolve(undefined);
    done.resolve(answerError(new Response(request.responseText, { status: request.status })));
  });
  request.addEventListener("error", () => done.resolve(networkError(undefined)));
  request.addEventListener("abort", () =>
    signal.aborted ? done.reject(signal.reason) : done.resolve(networkError(undefined)),
  );
  signal.addEventListener("abort", stop);
  try {
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    moved();
    request.send(file);
    return await done.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}
