import { responseError, networkError, type CallError } from "../call-error.ts";

/** Without a `Content-Type` header the browser sends the type of the file. */
export type FileRequest = { method: "POST" | "PUT"; url: string; headers?: Record<string, string> };

export type SendOptions = {
  signal: AbortSignal;
  /** Called with the number of sent bytes. */
  onProgress: (bytes: number) => void;
  /** Called with each chunk of the response body. */
  onResponse?: (text: string) => void;
};

/** 60 s without progress: the connection is considered dead. */
const stalledMs = 60_000;

/**
 * Sends a file and reports its progress, which `fetch` cannot do. Resolves with the failure if the server refuses the file
 * or the connection breaks. Rejects with the signal's reason.
 */
export async function sendFile(
  { method, url, headers = {} }: FileRequest,
  file: Blob,
  { signal, onProgress, onResponse }: SendOptions,
): Promise<CallError | undefined> {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const done = Promise.withResolvers<CallError | undefined>();
  const abort = () => request.abort();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(abort, stalledMs);
  };
  let reportedCharacters = 0;
  const reportResponse = () => {
    if (!isSuccess(request.status)) return;
    const text = request.responseText.slice(reportedCharacters);
    reportedCharacters += text.length;
    onResponse?.(text);
  };
  request.upload.addEventListener("progress", ({ loaded }) => {
    restartTimer();
    onProgress(loaded);
  });
  // From here on the server processes the file and sends heartbeats itself.
  request.upload.addEventListener("loadend", () => clearTimeout(timer));
  request.addEventListener("progress", reportResponse);
  request.addEventListener("load", () => {
    reportResponse();
    if (isSuccess(request.status)) return done.resolve(undefined);
    done.resolve(responseError(new Response(request.responseText, { status: request.status })));
  });
  request.addEventListener("error", () => done.resolve(networkError(undefined)));
  request.addEventListener("abort", () =>
    signal.aborted ? done.reject(signal.reason) : done.resolve(networkError(undefined)),
  );
  signal.addEventListener("abort", abort);
  try {
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    restartTimer();
    request.send(file);
    return await done.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
