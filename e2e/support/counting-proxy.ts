import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { listenLocally } from "../../fixtures/local-server.ts";

/**
 * A proxy before the server that counts the open event streams, and lists all requests as `GET /path`. Each request waits
 * for `before`.
 */
export type CountingProxy = {
  url: string;
  requests: string[];
  openStreams(): number;
  close(): Promise<void>;
};

export async function startCountingProxy(
  serverUrl: string,
  before: (request: string) => Promise<void> = async () => {},
): Promise<CountingProxy> {
  let openStreams = 0;
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const isEventStream = request.url?.startsWith("/v1/live") === true;
    if (isEventStream) openStreams++;
    void before(line).then(() => forward(serverUrl, request, response));
    response.on("close", () => {
      if (isEventStream) openStreams--;
    });
  });
  return { ...(await listenLocally(proxy)), requests, openStreams: () => openStreams };
}

/** Sends the request to the server and its answer back, both as they arrive. */
export function forward(serverUrl: string, request: IncomingMessage, response: ServerResponse): void {
  const upstream = sendRequest(
    `${serverUrl}${request.url ?? "/"}`,
    { method: request.method, headers: request.headers, setHost: false },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    },
  );
  upstream.on("error", () => response.destroy());
  response.on("close", () => upstream.destroy());
  request.pipe(upstream);
}
