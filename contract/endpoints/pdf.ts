import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { described, textOf } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

const pdfRequest = z
  .object({
    file_blob: described(
      z.optional(z.string().check(z.minLength(1, "must not be empty"))),
      "The PDF as a data URL or in base64.",
    ),
    file_url: described(z.optional(textOf(1, 2_048)), "Or the URL of the PDF."),
    format: described(
      z.optional(z.enum(["png", "webp"], "must be png or webp")),
      "Format of the images. Default: `png`.",
    ),
  })
  .check(
    z.refine(({ file_blob: blob, file_url: url }) => (blob === undefined) !== (url === undefined), {
      path: ["file_blob"],
      message: "give either file_blob or file_url",
    }),
  );

const pdfPage = {
  url: described(z.string(), "A URL that opens the page's image without a credential, for an hour."),
  width: described(z.number(), "Width of the image in pixels."),
  height: z.number(),
  text: described(z.string(), "The text of the page, as far as it can be extracted."),
};

const pdfImages = z.object({
  success: z.boolean(),
  urls: described(z.array(z.string()), "One image for each page, in order."),
  message: z.string(),
  pages: described(z.array(z.object(pdfPage)), "The same pages with their text."),
});

/** Progress while a PDF's pages are rendered: one start, each page in order, one end. */
export type PdfEvent =
  | { type: "pdf-start"; pages: number }
  | { type: "pdf-page"; number: number; url: string; width: number; height: number; text: string }
  | { type: "pdf-end" };

export const pdfEndpoints = endpoints("visitor", {
  "files.pdfToImages": {
    request: "POST /v1/files/pdf-to-images",
    members: "read",
    permission: "files.upload",
    audit: { none: "own-content" },
    summary: "Convert a PDF's pages to images and text",
    description:
      "Renders each page at 150 dots per inch (very large pages at less) and extracts its text. The limits are 25 MiB and 200 pages. `file_url` is a file of this server or a public URL, which the server fetches without a credential and only from the public internet. The result is cached per workspace for a day. With `Accept: text/event-stream` each page is sent when it is ready: `pdf-start` with the number of `pages`, then a `pdf-page` for each with its `number` and the fields of an entry of `pages`, then `pdf-end`. A stream without `pdf-end` failed. Disconnecting cancels the work.",
    body: pdfRequest,
    bodyBytesMax: limits.pdfBodyBytes,
    response: pdfImages,
    streamsOnRequest: true,
    errors: [
      "pdf-unreadable",
      "pdf-locked",
      "pdf-unsupported",
      "pdf-empty",
      "pdf-too-many-pages",
      "pdf-too-large",
      "pdf-too-long",
      "pdf-too-complex",
      "too-many-pdfs",
      "file-not-found",
      "link-expired",
      "fetching-off",
      "address-not-allowed",
      "address-unreachable",
      "address-refused",
      "fetched-wrong-type",
      "fetched-too-large",
      "too-many-streams",
    ],
    example: {
      body: {
        file_blob:
          "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqIDIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iaiAzIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgNzIgNzJdPj5lbmRvYmogdHJhaWxlcjw8L1Jvb3QgMSAwIFI+Pg==",
      },
    },
  },
  "files.openPage": {
    request: "GET /v1/pages/{page_id}",
    caller: "link",
    summary: "Download the image of a PDF page",
    description:
      "Use a URL that the conversion returned, unchanged. Anyone with the URL can read the image, from any origin, for an hour.",
    kind: "bytes",
    errors: ["link-expired", "range-not-satisfiable"],
    example: { url: "$PAGE_URL" },
  },
});
