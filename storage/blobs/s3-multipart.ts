import { StorageFullError } from "../lib/errors.ts";
import { BlobsUnreachableError } from "./blobs.ts";

/** Sends a request with retries. Throws unless the response is successful. */
export type SendRequest = (url: string, init: PartRequest) => Promise<Response>;

/** `stream` can be read again for a retry. */
export type PartRequest = {
  method: string;
  headers?: Record<string, string>;
  body?: string;
  stream?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
};

/** 16 MiB in memory. Some services require all parts but the last to have the same size. */
export const partBytes = 16 * 1024 * 1024;
/** S3 accepts as many parts. */
const partsMax = 10_000;
/** For requests that go on without the timeout of a whole part. */
const chunkBytes = 256 * 1024;

/**
 * Stores bytes of unknown length at `url` in parts, each of which is sent again if it fails. The object appears when all
 * parts are there; if something throws, nothing is kept. Returns the number of bytes.
 */
export async function putInParts(
  send: SendRequest,
  url: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const aborted = signal === undefined ? {} : { signal };
  const put = async (to: string, part: Buffer): Promise<Response> =>
    await send(to, {
      method: "PUT",
      headers: { "Content-Length": String(part.length), "Content-Type": "application/octet-stream" },
      ...(part.length === 0 ? { body: "" } : { stream: inChunks(part) }),
      ...aborted,
    });
  const parts = inParts(bytes);
  let next = await parts.next();
  let size = 0;
  let upload: string | undefined;
  const tags: string[] = [];
  try {
    for (; next.done !== true; next = await parts.next()) {
      const { part, isLast } = next.value;
      size += part.length;
      if (isLast && upload === undefined) {
        await discard(await put(url, part));
        return size;
      }
      upload ??= await startUpload();
      if (tags.length === partsMax)
        throw new StorageFullError(
          `Objects in buckets have at most ${partsMax} parts of ${partBytes} bytes.`,
        );
      const response = await put(`${url}?partNumber=${tags.length + 1}&uploadId=${upload}`, part);
      await discard(response);
      tags.push(response.headers.get("etag") ?? "");
    }
    await complete();
    return size;
  } catch (error) {
    await parts.return(undefined).catch(() => {});
    if (upload !== undefined)
      await send(`${url}?uploadId=${upload}`, { method: "DELETE" })
        .then(discard)
        .catch(() => {});
    throw error;
  }

  async function startUpload(): Promise<string> {
    const xml = await (await send(`${url}?uploads=`, { method: "POST", ...aborted })).text();
    const id = /<UploadId>([^<]+)<\/UploadId>/.exec(xml)?.[1];
    if (id === undefined) throw new BlobsUnreachableError("The S3 service did not start an upload in parts.");
    return encodeURIComponent(id);
  }

  async function complete(): Promise<void> {
    const list = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`;
    const response = await send(`${url}?uploadId=${upload}`, {
      method: "POST",
      headers: { "Content-Type": "application/xml" },
      body,
      ...aborted,
    });
    // The status is sent before the parts are put together.
    const code = /<Error>.*?<Code>([^<]{1,100})<\/Code>/s.exec(await response.text())?.[1];
    if (code !== undefined)
      throw new BlobsUnreachableError(`The S3 service did not put the parts together (${code}).`);
  }
}

/** Ends what interrupted processes left of uploads to keys that begin with `prefix`. */
export async function endUploads(send: SendRequest, base: string, prefix: string): Promise<void> {
  const query = new URLSearchParams({ uploads: "", prefix }).toString();
  const xml = await (await send(`${base}?${query}`, { method: "GET" })).text();
  for (const [, entry = ""] of xml.matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
    const key = /<Key>([^<]+)<\/Key>/.exec(entry)?.[1];
    const id = /<UploadId>([^<]+)<\/UploadId>/.exec(entry)?.[1];
    if (key?.startsWith(prefix) === true && id !== undefined)
      await discard(await send(`${base}/${key}?uploadId=${encodeURIComponent(id)}`, { method: "DELETE" }));
  }
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}

function inChunks(part: Buffer): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      for (let from = 0; from < part.length; from += chunkBytes) yield part.subarray(from, from + chunkBytes);
    },
  };
}

/** At least one part, and the last one is marked. */
async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ part: Buffer; isLast: boolean }, undefined, undefined> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    size += chunk.length;
    // One byte more, so that the last part is not empty.
    while (size > partBytes) {
      const all = Buffer.concat(waiting);
      yield { part: all.subarray(0, partBytes), isLast: false };
      waiting = [all.subarray(partBytes)];
      size = all.length - partBytes;
    }
  }
  yield { part: Buffer.concat(waiting), isLast: true };
}
