import { request, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Target } from "./target.ts";

/** The far end says nothing for this long: it is taken for dead. */
const silenceMs = 15_000;
const headerBytesMax = 16 * 1024;

/** More came than was asked for. */
export class TooManyBytesError extends Error {
  override readonly name = "TooManyBytesError";
}

/** Asks for the target over this connection, with nothing that says who asks. Answers as soon as the head is there. */
export async function ask(
  socket: Socket,
  { url, port, secure }: Target,
  accept: string,
): Promise<IncomingMessage> {
  const usualPort = port === (secure ? 443 : 80);
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request({
      createConnection: () => socket,
      method: "GET",
      path: `${url.pathname}${url.search}`,
      headers: {
        Host: usualPort ? url.hostname : `${url.hostname}:${port}`,
        Accept: accept,
        "Accept-Encoding": "identity",
        "User-Agent": "Parlance",
      },
      setHost: false,
      maxHeaderSize: headerBytesMax,
      timeout: silenceMs,
    });
    asking.once("timeout", () => asking.destroy(new Error(`silent for ${silenceMs} ms`)));
    asking.on("error", reject);
    asking.once("response", resolve);
    asking.end();
  });
}

/** The answer's bytes, whole. Throws `TooManyBytesError` past `bytesMax`, declared or sent. */
export async function bytesOf(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(answer.headers["content-length"]) > bytesMax) throw new TooManyBytesError();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new TooManyBytesError();
    chunks.push(chunk);
  }
  if (!answer.complete) throw new Error("the answer broke off");
  return Buffer.concat(chunks);
}
