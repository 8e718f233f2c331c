import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { listenLocally } from "#fixtures/local-server.ts";

/**
 * A failure of a request: a response with this status instead of the bucket's, or the connection is cut after so many
 * bytes of the response body; -1 cuts it before the status line.
 */
export type InjectedFailure = { status: number; code?: string } | { cutAfterBytes: number };

/** A proxy in front of an S3 server that forwards requests, or makes them fail. */
export type S3Proxy = {
  endpoint: string;
  /** Makes requests that match fail from now on, instead of those before. Without arguments all are forwarded. */
  inject(failure?: InjectedFailure, matches?: (method: string, path: string) => boolean): void;
  /** All requests, as `GET /bucket/key`. */
  requests: string[];
  close(): Promise<void>;
};

export async function startS3Proxy(endpoint: string): Promise<S3Proxy> {
  const bucket = new URL(endpoint);
  let injected: { failure: InjectedFailure; matches: (method: string, path: string) => boolean } | undefined;
  const requests: string[] = [];

  const proxy = createServer((request, response) => {
    const { method = "GET", url = "/" } = request;
    requests.push(`${method} ${url}`);
    const failure = injected?.matches(method, url) === true ? injected.failure : undefined;
    if (failure !== undefined && "status" in failure) refuse(request, response, failure);
    else pass(request, response, failure?.cutAfterBytes);
  });
  const { url, close } = await listenLocally(proxy);

  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { status, code = "Odd" }: { status: number; code?: string },
  ) {
    request.resume();
    request.on("end", () => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`));
  }

  function pass(request: IncomingMessage, response: ServerResponse, cutAfterBytes = Infinity) {
    // With the original Host header, which is part of the signature.
    const through = sendRequest(
      {
        host: bucket.hostname,
        port: bucket.port,
        path: request.url,
        method: request.method,
        headers: request.headers,
        setHost: false,
      },
      (answer) => {
        if (cutAfterBytes < 0) return void response.destroy();
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        // Swift sends a body with some responses to HEAD, which is discarded.
        if (request.method === "HEAD") return void response.end();
        let sentBytes = 0;
        answer.on("data", (chunk: Buffer) => {
          response.write(chunk.subarray(0, Math.max(0, cutAfterBytes - sentBytes)));
          sentBytes += chunk.length;
          if (sentBytes > cutAfterBytes) setImmediate(() => response.destroy());
        });
        answer.on("end", () => sentBytes > cutAfterBytes || response.end());
      },
    );
    through.on("error", () => response.writableEnded || response.destroy());
    response.on("close", () => through.destroy());
    request.pipe(through);
  }

  return {
    endpoint: url,
    inject: (failure, matches = () => true) =>
      void (injected = failure === undefined ? undefined : { failure, matches }),
    requests,
    close,
  };
}
