import { buffer } from "node:stream/consumers";
import type { ResponseOf, BodyOf } from "#contract/api.ts";
import type { PdfEvent } from "#contract/endpoints/files.ts";
import { limits } from "#contract/limits.ts";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { GuardedFetch } from "#server/fetch/guarded-fetch.ts";
import type { Pdf } from "#server/pdf/pdf.ts";
import { ByteAnswer, type EventBatch, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import type { Contents } from "#server/files/contents.ts";
import type { Reads } from "../reads.ts";
import * as rows from "#server/files/rows.ts";
import { headOf } from "../serving.ts";
import { createDrawings, type Drawing } from "./drawings.ts";
import { createPageAddresses } from "./page-addresses.ts";
import { createPageCache } from "./page-cache.ts";
import { createReadSentPdf, type SentPdf } from "./sent-pdf.ts";

/** PDFs as pictures of their pages. */
export type PagePictures = {
  /** Once all pages are drawn. Throws what is wrong with the PDF or its address, naming the field. */
  all(visitor: Visitor, asked: Asked): Promise<ResponseOf<"files.pdfToImages">>;
  /** As they are drawn. What is wrong before the first page is thrown, and later ends the stream. */
  asDrawn(visitor: Visitor, asked: Asked): Promise<AsyncIterable<EventBatch>>;
  /** A page, for whoever has its address. Throws `file-not-found` and `link-expired`. */
  open(pageId: string, request: RequestFacts): Promise<ByteAnswer>;
  /** The same as bytes, for a model; `undefined` where the address opens nothing any more, or never did. */
  picture(pageId: string, signal: AbortSignal): Promise<{ type: string; bytes: Buffer } | undefined>;
  sweep(signal: AbortSignal): Promise<number>;
};

export type Asked = {
  body: BodyOf<"files.pdfToImages">;
  request: RequestFacts;
  /** Where the service is, for addresses in the answer. */
  base: string;
};

const doneMessage = "PDF successfully converted to images";

export function createPagePictures(options: {
  db: Database;
  pdf: Pdf;
  blobs: Blobs;
  reads: Pick<Reads, "linked" | "ofWorkspace">;
  contents: Pick<Contents, "bytes">;
  guardedFetch: GuardedFetch;
  clock: Clock;
  /** Signs addresses of pages, and nothing else. */
  secret: string;
  cacheBytes: number;
}): PagePictures {
  const { db, pdf, blobs, clock } = options;
  const addresses = createPageAddresses(options.secret);
  const cache = createPageCache({
    blobs,
    clock,
    bytesMax: options.cacheBytes,
    linkMs: limits.pageLinkMs,
    isToGo: async (key) => await rows.isRemovalNoted(db.read, key),
  });
  const readSent = createReadSentPdf(options);
  const draw = createDrawings({ pdf, cache });

  /** What the document is, page by page, each told when its picture can be read. */
  async function* events(visitor: Visitor, { body, request, base }: Asked): AsyncGenerator<PdfEvent> {
    const sent = await readSent(visitor, body, request, [base, request.origin]);
    const { bytes, blobKey } = sent;
    const format = body.format ?? "png";
    const drawn = blobKey === undefined ? { workspaceId: visitor.workspaceId, bytes } : { blobKey };
    const drawingId = cache.idOf(drawn, format);
    const expires = clock.now() + limits.pageLinkMs;
    try {
      for await (const step of ofField(draw(drawingId, bytes, format, request.signal), sent)) {
        if ("count" in step) yield { type: "pdf-start", pages: step.count };
        else {
          const { number, ...page } = step;
          const url = addresses.address(base, { drawingId, number, format }, expires);
          yield { type: "pdf-page", number, url, ...page };
        }
      }
      yield { type: "pdf-end" };
    } finally {
      // Deleted while it was drawn, and perhaps cleared away before its last page was kept.
      if (blobKey !== undefined && (await rows.findBlob(db.read, blobKey)) === undefined)
        await cache.remove(drawingId);
    }
  }

  return {
    async all(visitor, asked) {
      const pages: ResponseOf<"files.pdfToImages">["pages"] = [];
      for await (const event of events(visitor, asked))
        if (event.type === "pdf-page") {
          const { url, width, height, text } = event;
          pages.push({ url, width, height, text });
        }
      return { success: true, urls: pages.map(({ url }) => url), message: doneMessage, pages };
    },

    async asDrawn(visitor, asked) {
      const source = events(visitor, asked);
      const first = await source.next();
      return (async function* () {
        try {
          if (first.done !== true) yield [frameOf(first.value)];
          for await (const event of source) yield [frameOf(event)];
        } finally {
          await source.return(undefined);
        }
      })();
    },

    async open(pageId, request) {
      const named = addresses.read(pageId);
      if (named === undefined) throw new AppError("file-not-found");
      if (named.expires <= clock.now()) throw new AppError("link-expired");
      const { page } = named;
      if (await cache.isGone(page.drawingId)) throw new AppError("file-not-found");
      const sizeBytes = await cache.sizeOf(page);
      if (sizeBytes === undefined) throw new AppError("file-not-found");
      const served = {
        name: `page-${page.number}.${page.format}`,
        type: `image/${page.format}`,
        sizeBytes,
        tag: `${page.drawingId}-${page.number}`,
      };
      const { status, headers, range } = headOf(served, request, "address", false);
      if (range === undefined) return new ByteAnswer(status, headers, undefined);
      return new ByteAnswer(status, headers, async (signal) => {
        try {
          return await cache.read(page, range, signal);
        } catch (error) {
          if (error instanceof BlobMissingError) throw new AppError("file-not-found", { cause: error });
          throw error;
        }
      });
    },

    async picture(pageId, signal) {
      const named = addresses.read(pageId);
      if (named === undefined || named.expires <= clock.now()) return undefined;
      const sizeBytes = await cache.sizeOf(named.page);
      if (sizeBytes === undefined) return undefined;
      const whole = { start: 0, end: sizeBytes - 1 };
      const bytes = await buffer(await cache.read(named.page, whole, signal));
      return { type: `image/${named.page.format}`, bytes };
    },

    sweep: cache.sweep,
  };
}

/** What is wrong with the document, told of the field that it came in. */
async function* ofField(drawing: Drawing, { field }: SentPdf): Drawing {
  try {
    yield* drawing;
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith("pdf-")) throw error;
    throw new AppError(error.code, {
      details: [{ path: field, message: "must be a PDF that can be read here" }],
      cause: error.cause,
    });
  }
}

function frameOf(event: PdfEvent): { json: string } {
  return { json: JSON.stringify(event) };
}
