import { wantsEvents, type RequestFacts, type Routes } from "../lib/route.ts";
import type { Files } from "./files.ts";
import type { PagePictures } from "./serving/pdf/page-pictures.ts";

type Names =
  | "files.upload"
  | "files.receive"
  | "files.download"
  | "files.read"
  | "files.thumbnail"
  | "files.open"
  | "files.openPage"
  | "files.list"
  | "files.get"
  | "files.remove"
  | "files.pdfToImages";

/** `baseOf`: the URL of the service as the client of a request reaches it. */
export function fileRoutes(
  { uploads, downloads, thumbnails, lists }: Files,
  pages: PagePictures,
  baseOf: (request: RequestFacts) => string,
): Routes<Names> {
  return {
    "files.upload": async ({ visitor, body, request }) =>
      await uploads.create(visitor, body, baseOf(request)),
    "files.receive": async ({ params, query: { signature, ...declared }, request }) => {
      const { body, contentType, contentLength, limitKey, signal } = request;
      await uploads.receive(
        params.file_id,
        { signature, ...declared },
        {
          bytes: body(),
          contentType,
          ...(contentLength === undefined ? {} : { sizeBytes: contentLength }),
          signal,
          limitKey,
        },
      );
      return {};
    },
    "files.download": async ({ visitor, body, request }) =>
      await downloads.sign(visitor, body, baseOf(request)),
    "files.list": async ({ visitor, query, request }) => await lists.list(visitor, query, baseOf(request)),
    "files.get": async ({ visitor, params, request }) =>
      await lists.get(visitor, params.file_id, baseOf(request)),
    "files.remove": async ({ visitor, params }) => {
      await lists.remove(visitor, params.file_id);
      return {};
    },
    "files.read": async ({ visitor, params, query, request }) =>
      await downloads.open(visitor, params.file_id, query.download ?? false, request),
    "files.thumbnail": async ({ visitor, params, request }) =>
      await thumbnails.read(visitor, params.file_id, request),
    "files.open": async ({ params, query, request }) =>
      await downloads.openLink(
        params.file_id,
        {
          place: placeOf(params.file_secret),
          expires: query.expires,
          signature: query.signature,
        },
        query.download ?? false,
        request,
      ),
    "files.openPage": async ({ params, request }) => await pages.open(params.page_id, request),
    "files.pdfToImages": async ({ visitor, body, request }) => {
      const pdfRequest = { body, request, base: baseOf(request) };
      return wantsEvents(request.accept)
        ? await pages.asRendered(visitor, pdfRequest)
        : await pages.all(visitor, pdfRequest);
    },
  };
}

/** The secret without the file extension. */
function placeOf(segment: string): string {
  const dot = segment.indexOf(".");
  return dot === -1 ? segment : segment.slice(0, dot);
}
