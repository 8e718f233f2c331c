import * as http from "node:http";
import * as https from "node:https";

/** A person waits for the answer. */
const connectTimeoutMs = 10_000;

/**
 * Sends a POST request and resolves when the response headers arrive. Node's HTTP client takes half the time per chunk
 * that `fetch` takes, whose bodies are web streams. Follows no redirects and requests no compression. Rejects with the
 * system's error if the provider cannot be reached.
 */
export async function post(
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const { request: sendRequest } = url.startsWith("https:") ? https : http;
  return await new Promise((resolve, reject) => {
    const request = sendRequest(url, {
      method: "POST",
      headers: { ...headers, "accept-encoding": "identity" },
      signal,
    });
    request.once("response", resolve);
    // Not `once`: an error after the response started must have a listener. The response reports it too.
    request.on("error", reject);
    request.once("socket", (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => request.destroy(Object.assign(new Error("could not connect"), { code: "ETIMEDOUT" })),
        connectTimeoutMs,
      );
      const clear = () => clearTimeout(timer);
      socket.once(url.startsWith("https:") ? "secureConnect" : "connect", clear).once("close", clear);
    });
    request.end(body);
  });
}
