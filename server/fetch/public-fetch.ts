import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { connectTo, dialAddress, resolveName, UnreachableError, type Dial, type Resolve } from "./connect.ts";
import { headerBytesMax, idleTimeoutMs } from "./exchange.ts";
import { hostOf, type OutgoingProxy, type TunnelOptions } from "./outgoing-proxy.ts";
import { publicAddressOf } from "./public-address.ts";

/** As for `fetch`. A model that Ollama downloads may send nothing for minutes while its bytes are verified. */
const bodyTimeoutMs = 300_000;
const bodilessStatuses = new Set([204, 205, 304]);

/** `responseMs`: how long the server has for the beginning of its response. */
type Network = { resolve: Resolve; dial: Dial; isOwnAllowed?: boolean; responseMs?: number };

/**
 * `fetch` for one server: `fetchFromPublicHost`, or through the proxy if there is one. `isPublicOnly`: whether it may not be
 * in the operator's own network either. Addresses such as the metadata service of a cloud are never connected to.
 */
export function createCheckedFetch({
  isPublicOnly,
  proxy,
  responseMs,
}: {
  isPublicOnly: boolean;
  proxy?: OutgoingProxy | undefined;
  responseMs: number;
}): (input: string | URL, init?: RequestInit) => Promise<Response> {
  const network = { resolve: resolveName, dial: dialAddress, isOwnAllowed: !isPublicOnly, responseMs };
  return async (input, init) => {
    const agent = proxy?.agentFor(new URL(input), isPublicOnly);
    return agent === undefined
      ? await fetchFromPublicHost(input, init, network)
      : await fetchThroughProxy(input, init, { agent, publicOnly: isPublicOnly, responseMs });
  };
}

/**
 * Like `fetch`, for a URL that must be on the public internet: checks the address of the real connection before anything
 * is sent. Follows no redirects. Rejects with `ForbiddenAddressError` for an address in another
 * network, and with `UnreachableError` for a server that sends no response. `network` is for tests.
 */
export async function fetchFromPublicHost(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
  network: Network = { resolve: resolveName, dial: dialAddress },
): Promise<Response> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  // The request's own signal follows the caller's only until it is collected as garbage.
  const signal = init?.signal ?? request.signal;
  const target = { url, host: hostOf(url), port, secure, isAllowedHost: network.isOwnAllowed ?? false };
  const socket = await connectTo(target, { ...network, signal });
  return await exchange(request, signal, http, {
    createConnection: () => socket,
    timeout: network.responseMs ?? idleTimeoutMs,
  });
}

/**
 * Like `fetch`, through a proxy. Follows no redirects. `publicOnly`: the proxy connects to a public address of the host,
 * which is looked up and checked here.
 */
export async function fetchThroughProxy(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  { agent, publicOnly, responseMs }: { agent: http.Agent; publicOnly: boolean; responseMs?: number },
): Promise<Response> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const signal = init?.signal ?? request.signal;
  const host = hostOf(url);
  const through: TunnelOptions = {
    agent,
    tunnelSignal: signal,
    timeout: responseMs ?? idleTimeoutMs,
    host: publicOnly ? await publicAddressOf(url, signal) : host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(url.port === "" ? {} : { port: url.port }),
  };
  return await exchange(request, signal, url.protocol === "https:" ? https : http, through);
}

async function exchange(
  request: Request,
  signal: AbortSignal,
  { request: sendRequest }: typeof http | typeof https,
  connection: https.RequestOptions,
): Promise<Response> {
  const url = new URL(request.url);
  // A long body, such as a file, says how long it is and arrives as it is read.
  const isStreamed = request.headers.has("content-length");
  const body = isStreamed ? undefined : Buffer.from(await request.arrayBuffer());
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const outgoing = sendRequest({
      ...connection,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...Object.fromEntries(request.headers),
        host: url.host,
        "accept-encoding": "identity",
        ...(body === undefined || body.length === 0 ? {} : { "content-length": body.length }),
      },
      setHost: false,
      maxHeaderSize: headerBytesMax,
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
    if (isStreamed && request.body !== null)
      pipeline(Readable.fromWeb(request.body as never), outgoing).catch(reject);
    else outgoing.end(body);
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
