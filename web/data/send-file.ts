import { answerError, networkError, type CallError } from "./call-error.ts";

/**
 * Posts a file, telling how much of it has gone and then what comes back as it comes: `fetch` tells nothing of the
 * former. Answers the failure where the service refuses it. Rejects with the signal's reason.
 */
export async function sendFile(
  url: string,
  file: File,
  options: {
    headers: Record<string, string>;
    /** Whether it goes to the page's own origin, where its cookie counts. */
    isOwnOrigin: boolean;
    signal: AbortSignal;
    sent: (bytes: number) => void;
    heard: (text: string) => void;
  },
): Promise<CallError | undefined> {
  const { signal } = options;
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let heard = 0;
    const stop = () => request.abort();
    const settle = (act: () => void) => {
      signal.removeEventListener("abort", stop);
      act();
    };
    const listen = () => {
      if (request.status !== 200) return;
      const text = request.responseText.slice(heard);
      heard += text.length;
      options.heard(text);
    };
    request.open("POST", url);
    for (const [name, value] of Object.entries(options.headers)) request.setRequestHeader(name, value);
    if (options.isOwnOrigin) request.setRequestHeader("Parlance-Client", "web");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => options.sent(event.loaded));
    request.addEventListener("progress", listen);
    request.addEventListener("load", () => {
      listen();
      if (request.status === 200) return settle(() => resolve(undefined));
      const body = new Response(request.responseText, { status: request.status });
      void answerError(body).then((error) => settle(() => resolve(error)));
    });
    request.addEventListener("error", () => settle(() => resolve(networkError(undefined))));
    request.addEventListener("abort", () => settle(() => reject(signal.reason as Error)));
    signal.addEventListener("abort", stop);
    request.send(file);
  });
}
