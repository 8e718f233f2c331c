import { throwFileNotFound } from "../../contents.ts";
import { buffer } from "node:stream/consumers";
import type { ResponseOf, BodyOf } from "#contract/api.ts";
import type { PdfEvent } from "#contract/endpoints/pdf.ts";
import { limits } from "#contract/limits.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { GuardedFetch } from "#server/fetch/guarded-fetch.ts";
import type { Pdf } from "#server/pdf/pdf.ts";
import { FileResponse, type EventBatch, type RequestFacts, type Visitor } from "#server/lib/route.ts";
import type { Contents } from "#server/files/contents.ts";
import type { Downloads } from "../downloads.ts";
import * as rows from "#server/files/rows.ts";
import { responseHead } from "../serving.ts";
import { createRenderings, type Rendering } from "./renderings.ts";
import { createPageUrls } from "./page-urls.ts";
import { createPageCache } from "./page-cache.ts";
import { createReadSentPdf, type SentPdf } from "./sent-pdf.ts";

export type PdfRequest = {
  body: BodyOf<"files.pdfToImages">;
  request: RequestFacts;
  /** The URL of the service, for URLs in the response. */
  base: string;
};

const doneMessage = "PDF successfully converted to images";

export type PagePictures = ReturnType<typeof createPagePictures>;

/** Pages of PDFs as pictures. */
export function createPagePictures(options: {
  db: Database;
  pdf: Pdf;
  blobs: Blobs;
  downloads: Pick<Downloads, "findByLink" | "findInWorkspace">;
  contents: Pick<Contents, "bytes">;
  guardedFetch: GuardedFetch;
  clock: Clock;
  /** Signs URLs of pages, and nothing else. */
  secret: string;
  cacheBytes: number;
}) {
  const { db, pdf, blobs, clock } = options;
  const urls = createPageUrls(options.secret);
  const cache = createPageCache({
    blobs,
    clock,
    bytesMax: options.cacheBytes,
    linkMs: limits.pageLinkMs,
    isRemovalScheduled: async (key) => await rows.isRemovalScheduled(db.read, key),
  });
  const readSent = createReadSentPdf(options);
  const render = createRenderings({ pdf, cache });

  /** The events of a document, each page as soon as its picture can be opened. */
  async function* events(visitor: Visitor, { body, request, base }: PdfRequest): AsyncGenerator<PdfEvent> {
    const sent = await readSent(visitor, body, request, [base, request.origin]);
    const { bytes, blobKey } = sent;
    const format = body.format ?? "png";
    const rendered = blobKey === undefined ? { workspaceId: visitor.workspaceId, bytes } : { blobKey };
    const renderingId = cache.idOf(rendered, format);
    const expires = clock.now() + limits.pageLinkMs;
    try {
      for await (const step of ofField(render(renderingId, bytes, format, request.signal), sent)) {
        if ("count" in step) yield { type: "pdf-start", pages: step.count };
        else {
          const { number, ...page } = step;
          const url = urls.url(base, { renderingId, number, format }, expires);
          yield { type: "pdf-page", number, url, ...page };
        }
      }
      yield { type: "pdf-end" };
    } finally {
      // The file may have been deleted while it was rendered, before its last page was stored.
      if (blobKey !== undefined && (await rows.findBlob(db.read, blobKey)) === undefined)
        await cache.remove(renderingId);
    }
  }

  return {
    /** All pages at once. Throws what is wrong with the PDF or its URL, with the field's name. */
    async all(visitor: Visitor, pdfRequest: PdfRequest): Promise<ResponseOf<"files.pdfToImages">> {
      const pages: ResponseOf<"files.pdfToImages">["pages"] = [];
      for await (const event of events(visitor, pdfRequest))
        if (event.type === "pdf-page") {
          const { url, width, height, text } = event;
          pages.push({ url, width, height, text });
        }
      return { success: true, urls: pages.map(({ url }) => url), message: doneMessage, pages };
    },

    /** Each page as soon as it is rendered. Throws errors before the first page; later ones end the stream. */
    async asRendered(visitor: Visitor, pdfRequest: PdfRequest): Promise<AsyncIterable<EventBatch>> {
      const source = events(visitor, pdfRequest);
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

    /** The response for a page's URL. Throws `file-not-found` and `link-expired`. */
    async open(pageId: string, request: RequestFacts): Promise<FileResponse> {
      const named = urls.parse(pageId);
      if (named === undefined) throw new AppError("file-not-found");
      if (named.expires <= clock.now()) throw new AppError("link-expired");
      const { page } = named;
      if (await cache.isGone(page.renderingId)) throw new AppError("file-not-found");
      const sizeBytes = await cache.sizeOf(page);
      if (sizeBytes === undefined) throw new AppError("file-not-found");
      const served = {
        name: `page-${page.number}.${page.format}`,
        type: `image/${page.format}`,
        sizeBytes,
        tag: `${page.renderingId}-${page.number}`,
      };
      const { status, headers, range } = responseHead(served, request, "address", false);
      if (range === undefined) return new FileResponse(status, headers, undefined);
      const read = async (signal: AbortSignal) =>
        await cache.read(page, range, signal).catch(throwFileNotFound);
      return new FileResponse(status, headers, read);
    },

    /** The bytes of a page, for a model; `undefined`: the URL is invalid or has expired. */
    async picture(pageId: string, signal: AbortSignal): Promise<{ type: string; bytes: Buffer } | undefined> {
      const named = urls.parse(pageId);
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

/** Adds the name of the request's field to errors of the document. */
async function* ofField(rendering: Rendering, { field }: SentPdf): Rendering {
  try {
    yield* rendering;
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
