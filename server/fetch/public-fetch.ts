import { request as sendRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { connectTo, dialAddress, resolveName, UnreachableError, type Dial, type Resolve } from "./connect.ts";
import { headerBytesMax, idleTimeoutMs } from "./exchange.ts";

/** As for `fetch`. A model that Ollama downloads may send nothing for minutes while its bytes are verified. */
const bodyTimeoutMs = 300_000;
const bodilessStatuses = new Set([204, 205, 304]);

/**
 * Like `fetch`, for a URL that must be on the public internet: checks the address of the real connection before anything
 * is sent. Follows no redirects. Rejects with `ForbiddenAddressError` for an address in another
 * network, and with `UnreachableError` for a server that sends no response. `network` is for tests.
 */
export async function fetchFromPublicHost(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
  network: { resolve: Resolve; dial: Dial } = { resolve: resolveName, dial: dialAddress },
): Promise<Response> {
  const request = new Request(input, init);
  const body = Buffer.from(await request.arrayBuffer());
  const url = new URL(request.url);
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // The request's own signal follows the caller's only until it is collected as garbage.
  const signal = init?.signal ?? request.signal;
  const socket = await connectTo({ url, host, port, secure, isAllowedHost: false }, { ...network, signal });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = sendRequest({
      createConnection: () => socket,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...Object.fromEntries(request.headers),
        host: url.host,
        "accept-encoding": "identity",
        ...(body.length === 0 ? {} : { "content-length": body.length }),
      },
      setHost: false,
      maxHeaderSize: headerBytesMax,
      timeout: idleTimeoutMs,
      signal,
    });
    outgoing.once("timeout", () => outgoing.destroy(new UnreachableError("no data in time")));
    outgoing.on("error", reject);
    // Also without an error: after a response that upgrades the connection.
    outgoing.once("close", () => reject(new UnreachableError("closed without a response")));
    outgoing.once("response", (incoming) => {
      outgoing.setTimeout(bodyTimeoutMs);
      resolve(incoming);
    });
    outgoing.end(body);
  });
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 599) {
    response.destroy();
    throw new UnreachableError(`status ${status}`);
  }
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (bodilessStatuses.has(status)) {
    response.resume();
    return new Response(null, { status, headers });
  }
  const content = Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(content as never, { status, headers });
}
