import * as http from "node:http";
import * as https from "node:https";

/** 10 s to reach the provider: a person waits. */
const connectMaxMs = 10_000;

/**
 * Posts `body` and answers when the provider's headers are there. Node's own client: each piece of an answer costs half
 * of what it costs through `fetch`, whose bodies are web streams. Follows no redirect and asks for no compression.
 * Throws what the system says where the provider is not to be reached.
 */
export async function post(
  url: string,
  request: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const { request: open } = url.startsWith("https:") ? https : http;
  return await new Promise((resolve, reject) => {
    const outgoing = open(url, {
      method: "POST",
      headers: { ...request.headers, "accept-encoding": "identity" },
      signal: request.signal,
    });
    outgoing.once("response", resolve);
    // It stays: an error after the answer began is told by the answer itself as well.
    outgoing.on("error", reject);
    outgoing.once("socket", (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => outgoing.destroy(Object.assign(new Error("could not connect"), { code: "ETIMEDOUT" })),
        connectMaxMs,
      );
      const settled = () => clearTimeout(timer);
      socket.once(url.startsWith("https:") ? "secureConnect" : "connect", settled).once("close", settled);
    });
    outgoing.end(request.body);
  });
}
