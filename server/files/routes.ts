import { AppError } from "../errors.ts";
import type { RequestFacts, Routes } from "../route.ts";
import type { Files } from "./files.ts";

type Names =
  | "files.upload"
  | "files.receive"
  | "files.download"
  | "files.read"
  | "files.open"
  | "files.pdfToImages";

/** `baseOf`: where the service is, for addresses that are given to whoever asks by this request. */
export function fileRoutes(
  { uploads, reads }: Files,
  baseOf: (request: RequestFacts) => string,
): Routes<Names> {
  return {
    "files.upload": async ({ visitor, body, request }) =>
      await uploads.promise(visitor, body, baseOf(request)),
    "files.receive": async ({ params, query: { signature, ...bounds }, request }) => {
      const { body, contentType, contentLength, signal } = request;
      await uploads.receive(
        params.file_id,
        { signature, ...bounds },
        {
          bytes: body(),
          contentType,
          ...(contentLength === undefined ? {} : { sizeBytes: contentLength }),
          signal,
        },
      );
      return {};
    },
    "files.download": async ({ visitor, body, request }) => await reads.sign(visitor, body, baseOf(request)),
    "files.read": async ({ visitor, params, query, request }) =>
      await reads.read(visitor, params.file_id, query.download ?? false, request),
    "files.open": async ({ params, query, request }) =>
      await reads.open(
        params.file_id,
        {
          place: placeOf(params.file_secret),
          expires: query.expires,
          signature: query.signature,
          download: query.download ?? false,
        },
        request,
      ),
    "files.pdfToImages": async () => {
      throw new AppError("files-not-kept");
    },
  };
}

/** Without what ends a name behind it. */
function placeOf(segment: string): string {
  const dot = segment.indexOf(".");
  return dot === -1 ? segment : segment.slice(0, dot);
}
