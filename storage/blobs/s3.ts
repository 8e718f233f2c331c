import { PassThrough, Readable } from "node:stream";
import { AwsClient } from "aws4fetch";
import { StorageFullError } from "../errors.ts";
import { BlobMissingError, BlobsAwayError, checkKey, type Blobs } from "./blobs.ts";
import { bucketUrl, type S3Place } from "./s3-place.ts";
import { keysOfPage } from "./s3-list.ts";
import { gathered } from "./s3-pieces.ts";
import { untilAborted } from "./until-aborted.ts";

/** Until the service begins to answer, counted from the last that was sent to it; what it sends may take as long as it keeps coming. */
const answerWithinMs = 30_000;
/** Two tries more, within two seconds: a service that is shared is busy now and then. */
const tries = 3;
const pauseMs = 300;

/**
 * Blobs in a bucket of any service that speaks S3's protocol. A PUT there is all or nothing by itself. Nothing here
 * reads what others put: see `createFiles`, which moves it to a key of its own first.
 */
export function createS3Blobs(place: S3Place): Blobs {
  const { region, accessKeyId, secretAccessKey } = place;
  const client = new AwsClient({ region, accessKeyId, secretAccessKey, service: "s3", retries: 0 });
  const base = bucketUrl(place);
  const root = new URL(base);
  const addressOf = (key: string): string => {
    checkKey(key);
    return `${base}/${key}`;
  };

  async function ask(url: string, init: AskInit = {}): Promise<Response> {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new Error("no answer in time")), answerWithinMs);
    const signals = [slow.signal, ...(init.signal == null ? [] : [init.signal])];
    const { signal: _, flow, body, ...rest } = init;
    try {
      // Signed without its body: what flows cannot be hashed first, and the connection keeps it whole.
      const signed = await client.sign(url, rest);
      return await fetch(signed.url, {
        method: signed.method,
        headers: withoutHost(signed.headers),
        signal: AbortSignal.any(signals),
        ...(body === undefined ? {} : { body }),
        ...(flow === undefined
          ? {}
          : { body: Readable.from(passing(flow, () => timer.refresh())) as never, duplex: "half" as const }),
      });
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new BlobsAwayError(`The S3 service at ${root.origin} does not answer.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** For what can be asked twice. Answers a success, or one of `expected`. */
  async function askAgain(url: string, init: AskInit, expected: number[]): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === tries;
      const answer = await ask(url, init).catch((error: unknown) => {
        if (last || !(error instanceof BlobsAwayError)) throw error;
        return undefined;
      });
      if (answer !== undefined && (answer.ok || expected.includes(answer.status))) return answer;
      if (answer !== undefined && (last || !isPassing(answer.status)))
        throw await refusal(answer, root.origin);
      await answer?.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, pauseMs * attempt));
    }
  }

  const blobs: Blobs = {
    kind: "s3",

    async put(key, bytes, { sizeBytes, signal }) {
      const url = addressOf(key);
      const known =
        sizeBytes === undefined
          ? await gathered(signal === undefined ? bytes : untilAborted(bytes, signal))
          : { bytes, sizeBytes };
      const broken: { error?: unknown } = {};
      try {
        const answer = await ask(url, {
          method: "PUT",
          headers: { "Content-Length": String(known.sizeBytes), "Content-Type": "application/octet-stream" },
          ...(known.sizeBytes === 0 ? { body: new Uint8Array(0) } : { flow: noticing(known.bytes, broken) }),
          ...(signal === undefined ? {} : { signal }),
        });
        if (!answer.ok) throw await refusal(answer, root.origin);
        await answer.body?.cancel();
        return known.sizeBytes;
      } catch (error) {
        // What broke off the bytes is the matter, and not that the request ended with them.
        throw "error" in broken ? broken.error : error;
      } finally {
        await known.remove?.();
      }
    },

    async size(key) {
      const answer = await askAgain(addressOf(key), { method: "HEAD" }, [404]);
      return answer.status === 404 ? undefined : Number(answer.headers.get("content-length"));
    },

    async read(key, { range, signal } = {}) {
      const answer = await askAgain(
        addressOf(key),
        {
          headers: range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` },
          ...(signal === undefined ? {} : { signal }),
        },
        [404],
      );
      if (answer.status === 404) {
        await answer.body?.cancel();
        throw new BlobMissingError(key);
      }
      const body = answer.body ?? new Blob().stream();
      // In a browser's world, which tests stand in too, it has another type of the same name.
      const bytes = Readable.fromWeb(body as never, { objectMode: false });
      return tellingBreaks(bytes, (cause) =>
        signal?.aborted === true
          ? cause
          : new BlobsAwayError(`The S3 service at ${root.origin} broke off in the middle.`, { cause }),
      );
    },

    async remove(key) {
      const answer = await askAgain(addressOf(key), { method: "DELETE" }, [404]);
      await answer.body?.cancel();
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
        const page = keysOfPage(await (await askAgain(url.href, {}, [])).text());
        yield* page.found;
        token = page.next;
      } while (token !== undefined);
    },

    problem: () => undefined,
    close() {},

    direct: {
      origin: root.origin,
      async address({ key, forSeconds, sizeBytes, type }) {
        const url = new URL(addressOf(key));
        url.searchParams.set("X-Amz-Expires", String(forSeconds));
        const headers: Record<string, string> = {
          "content-length": String(sizeBytes),
          ...(type === undefined ? {} : { "content-type": type }),
        };
        const signed = await client.sign(url.href, {
          method: "PUT",
          headers,
          // Also those that are the browser's to set: it sends what its file has, or is refused.
          aws: { signQuery: true, allHeaders: true },
        });
        return signed.url;
      },
    },
  };
  return blobs;
}

/** `flow`: a body that comes at its own pace. */
type AskInit = Omit<RequestInit, "headers"> & {
  headers?: Record<string, string>;
  flow?: AsyncIterable<Uint8Array>;
};

async function* passing(bytes: AsyncIterable<Uint8Array>, passed: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    passed();
    yield chunk;
  }
}

async function* noticing(
  bytes: AsyncIterable<Uint8Array>,
  broken: { error?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    broken.error = error;
    throw error;
  }
}

/** The same bytes; what breaks them off is told in our words, since nobody above knows what a socket is. */
function tellingBreaks(bytes: Readable, tell: (cause: Error) => Error): Readable {
  const told = new PassThrough();
  bytes.on("error", (cause) => told.destroy(tell(cause)));
  told.on("close", () => bytes.destroy());
  return bytes.pipe(told);
}

function withoutHost(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("host");
  return copy;
}

function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** What the service says goes to the operator's log; its code is the first thing that they look up. */
async function refusal(answer: Response, origin: string): Promise<Error> {
  const text = await answer.text().catch(() => "");
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? "no code";
  const said = `The S3 service at ${origin} answered ${answer.status} (${code}).`;
  if (answer.status === 507 || ["QuotaExceeded", "XMinioStorageFull"].includes(code))
    return new StorageFullError(said);
  return new BlobsAwayError(said);
}
