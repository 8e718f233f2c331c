import { answerError, networkError } from "../call-error.ts";

/**
 * Sends a file to the address that was given for it, as `fetch` would, which cannot tell how far it is. No header but
 * its type: the address is the credential, and may be a bucket's. Throws `CallError`, or the signal's own reason.
 */
export type PutFile = (
  address: string,
  file: Blob,
  options: { signal: AbortSignal; sent: (bytes: number) => void },
) => Promise<void>;

/** 60 s without a byte that moves: the line is dead, and whoever waits may try again. */
const stalledMs = 60_000;

export const putFile: PutFile = async (address, file, { signal, sent }) => {
  signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const done = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const moved = () => {
    clearTimeout(timer);
    timer = setTimeout(() => request.abort(), stalledMs);
  };
  request.upload.addEventListener("progress", ({ loaded }) => {
    moved();
    sent(loaded);
  });
  request.addEventListener("load", () => {
    if (request.status >= 200 && request.status < 300) return done.resolve();
    const { status, responseText } = request;
    void answerError(new Response(responseText, { status: status < 200 ? 500 : status })).then(done.reject);
  });
  request.addEventListener("error", () => done.reject(networkError(undefined)));
  request.addEventListener("abort", () =>
    done.reject(signal.aborted ? signal.reason : networkError(undefined)),
  );
  const abort = () => request.abort();
  signal.addEventListener("abort", abort);
  try {
    request.open("PUT", address);
    moved();
    request.send(file);
    await done.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
};
