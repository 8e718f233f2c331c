import { PassThrough, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { StorageFullError } from "../lib/errors.ts";
import { BlobMissingError, BlobsUnreachableError, checkKey, type Blobs } from "./blobs.ts";
import { bucketUrl, type S3Location } from "./s3-location.ts";
import { bufferOnDisk } from "./s3-buffer.ts";
import { fetchFromBucket } from "./s3-fetch.ts";
import { endUploads, putInParts, type SendRequest } from "./s3-multipart.ts";
import { untilAborted } from "./until-aborted.ts";

/** From the last byte sent to the response headers. The response body has no limit. */
const responseTimeoutMs = 30_000;
/** Shared services are sometimes busy: two retries within two seconds. */
const attemptsMax = 3;
const retryMs = 300;

/**
 * Blobs in a bucket of any service with the S3 API, where a PUT is atomic. Files that browsers upload are moved to a key of
 * their own before they are read (see `createFiles`).
 */
export function createS3Blobs(location: S3Location): Blobs {
  const { region, accessKeyId, secretAccessKey } = location;
  const client = new AwsClient({ region, accessKeyId, secretAccessKey, service: "s3", retries: 0 });
  const base = bucketUrl(location);
  const root = new URL(base);
  const urlOf = (key: string): string => {
    checkKey(key);
    return `${base}/${key}`;
  };

  async function send(url: string, init: SendInit = {}): Promise<Response> {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new Error("no response in time")), responseTimeoutMs);
    const signals = [slow.signal, ...(init.signal == null ? [] : [init.signal])];
    const { signal: _, stream, body, ...rest } = init;
    try {
      // Signed without the body, because a stream cannot be hashed first.
      const signed = await client.sign(url, rest);
      return await fetchFromBucket(signed.url, {
        method: signed.method,
        headers: withoutHost(signed.headers),
        signal: AbortSignal.any(signals),
        ...(body === undefined ? {} : { body }),
        ...(stream === undefined
          ? {}
          : {
              body: Readable.from(onEachChunk(stream, () => timer.refresh())) as never,
              duplex: "half" as const,
            }),
      });
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new BlobsUnreachableError(`The S3 service at ${root.origin} does not respond.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends an idempotent request with retries. Returns a response that is successful or has a status in `expected`. */
  async function sendWithRetry(url: string, init: SendInit, expected: number[]): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === attemptsMax;
      const response = await send(url, init).catch((error: unknown) => {
        if (isLast || !(error instanceof BlobsUnreachableError)) throw error;
        return undefined;
      });
      if (response !== undefined && (response.ok || expected.includes(response.status))) return response;
      if (response !== undefined && (isLast || !isTemporary(response.status)))
        throw await toError(response, root.origin);
      await response?.body?.cancel();
      // If the request is aborted meanwhile, the next attempt throws the reason.
      await sleep(retryMs * attempt, undefined, init.signal ? { signal: init.signal } : {}).catch(() => {});
    }
  }

  const sendPart: SendRequest = async (url, init) => await sendWithRetry(url, init, []);

  const blobs: Blobs = {
    kind: "s3",

    async put(key, bytes, { sizeBytes, signal, inParts }) {
      const url = urlOf(key);
      if (inParts === true) return await putInParts(sendPart, url, bytes, signal);
      const body =
        sizeBytes === undefined
          ? await bufferOnDisk(signal === undefined ? bytes : untilAborted(bytes, signal))
          : { bytes, sizeBytes };
      const failed: { error?: unknown } = {};
      try {
        const response = await send(url, {
          method: "PUT",
          headers: { "Content-Length": String(body.sizeBytes), "Content-Type": "application/octet-stream" },
          ...(body.sizeBytes === 0
            ? { body: new Uint8Array(0) }
            : { stream: recordError(body.bytes, failed) }),
          ...(signal === undefined ? {} : { signal }),
        });
        if (!response.ok) throw await toError(response, root.origin);
        await response.body?.cancel();
        return body.sizeBytes;
      } catch (error) {
        // The error of the bytes is the cause of the failed request.
        throw "error" in failed ? failed.error : error;
      } finally {
        await body.remove?.();
      }
    },

    async size(key) {
      const response = await sendWithRetry(urlOf(key), { method: "HEAD" }, [404]);
      return response.status === 404 ? undefined : Number(response.headers.get("content-length"));
    },

    async read(key, { range, signal } = {}) {
      const response = await sendWithRetry(
        urlOf(key),
        {
          headers: range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` },
          ...(signal === undefined ? {} : { signal }),
        },
        [404],
      );
      if (response.status === 404) {
        await response.body?.cancel();
        throw new BlobMissingError(key);
      }
      const body = response.body ?? new Blob().stream();
      // The type of the same name for browsers is different.
      const bytes = Readable.fromWeb(body as never, { objectMode: false });
      return translateErrors(bytes, (cause) =>
        signal?.aborted === true
          ? cause
          : new BlobsUnreachableError(`The S3 service at ${root.origin} ended the response early.`, {
              cause,
            }),
      );
    },

    async remove(key) {
      const response = await sendWithRetry(urlOf(key), { method: "DELETE" }, [404]);
      await response.body?.cancel();
    },

    async *list(prefix) {
      let token: string | undefined;
      do {
        const url = new URL(base);
        url.search = new URLSearchParams({
          "list-type": "2",
          prefix,
          ...(token === undefined ? {} : { "continuation-token": token }),
        }).toString();
        const page = parseKeyPage(await (await sendWithRetry(url.href, {}, [])).text());
        yield* page.found;
        token = page.next;
      } while (token !== undefined);
    },

    removeUnfinished: async (prefix) => await endUploads(sendPart, base, prefix),
    problem: () => undefined,
    close() {},

    directUploads: {
      origin: root.origin,
      async signUrl({ key, forSeconds, sizeBytes, type }) {
        const url = new URL(urlOf(key));
        url.searchParams.set("X-Amz-Expires", String(forSeconds));
        const headers: Record<string, string> = {
          "content-length": String(sizeBytes),
          ...(type === undefined ? {} : { "content-type": type }),
        };
        const signed = await client.sign(url.href, {
          method: "PUT",
          headers,
          // Includes headers that the browser sets from the file, so that other values are refused.
          aws: { signQuery: true, allHeaders: true },
        });
        return signed.url;
      },
    },
  };
  return blobs;
}

/** `stream` is a streamed body. */
type SendInit = Omit<RequestInit, "headers"> & {
  headers?: Record<string, string>;
  stream?: AsyncIterable<Uint8Array>;
};

async function* onEachChunk(
  bytes: AsyncIterable<Uint8Array>,
  callback: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    callback();
    yield chunk;
  }
}

async function* recordError(
  bytes: AsyncIterable<Uint8Array>,
  failed: { error?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    failed.error = error;
    throw error;
  }
}

/** Passes bytes through and translates their errors. */
function translateErrors(bytes: Readable, translate: (cause: Error) => Error): Readable {
  const output = new PassThrough();
  bytes.on("error", (cause) => output.destroy(translate(cause)));
  output.on("close", () => bytes.destroy());
  return bytes.pipe(output);
}

function withoutHost(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("host");
  return copy;
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** The error for a response. The message with the service's error code is for the operator's log. */
async function toError(response: Response, origin: string): Promise<Error> {
  const text = await response.text().catch(() => "");
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? "no code";
  const message = `The S3 service at ${origin} answered ${response.status} (${code}).`;
  if (response.status === 507 || ["QuotaExceeded", "XMinioStorageFull"].includes(code))
    return new StorageFullError(message);
  return new BlobsUnreachableError(message);
}

type ListedBlob = { key: string; sizeBytes: number; changedAtMs: number };

/** Parses a page of S3's list of keys. The server's own keys contain no XML beyond simple entities. */
function parseKeyPage(xml: string): { found: ListedBlob[]; next: string | undefined } {
  const found = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = ""]) => ({
    key: textOf(entry, "Key"),
    sizeBytes: Number(textOf(entry, "Size")),
    changedAtMs: Date.parse(textOf(entry, "LastModified")),
  }));
  const next = textOf(xml, "NextContinuationToken");
  return { found, next: textOf(xml, "IsTruncated") === "true" && next !== "" ? next : undefined };
}

function textOf(xml: string, tag: string): string {
  const text = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(xml)?.[1] ?? "";
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name]!);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
