import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, name, printedInstant, queryFlag, queryNumber, textOf, wholeNumber, empty } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

/** What people attach: how it comes, and how it is read. */

export const uploadRequest = z.object({
  filename: name.check(z.describe("A label; never a path.")),
  content_type: z
    .optional(name)
    .check(z.describe("Where it is given, the upload must be of this Content-Type.")),
  content_length: z
    .optional(wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .check(z.describe("Where it is given, the upload must have exactly so many bytes.")),
});

const signature = z.string().check(z.maxLength(100, "must be as it was given"));
const expires = queryNumber(0, Number.MAX_SAFE_INTEGER);

/** What the address of an upload says, as it was given. */
export const receiveQuery = z.object({
  expires,
  type: z.optional(z.string()),
  length: z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
  signature,
});

const asDownload = z
  .optional(queryFlag)
  .check(z.describe("`true`: to be saved and not shown, whatever it is."));

export const readQuery = z.object({ download: asDownload });

export const openQuery = z.object({
  expires: z.optional(expires),
  signature: z.optional(signature),
  download: asDownload,
});

export const fileListQuery = z.object({
  q: z
    .optional(textOf(1, limits.nameCharacters))
    .check(
      z.describe(
        "A part of the name, whatever its case, or words of its text: of attached files, once that was read.",
      ),
    ),
  sort: z
    .optional(z.enum(["newest", "oldest", "name", "largest"], "must be newest, oldest, name or largest"))
    .check(z.describe("newest where it is not said.")),
  kind: z
    .optional(
      z.enum(
        ["image", "audio", "video", "text", "application"],
        "must be image, audio, video, text or application",
      ),
    )
    .check(z.describe("Only files whose type begins so.")),
  thread_id: z.optional(anyId).check(z.describe("Only files that this thread's messages speak of.")),
  limit: z
    .optional(queryNumber(1, limits.filePageMax))
    .check(z.describe(`How many; ${limits.filePage} where it is not said.`)),
  after: z.optional(anyId).check(z.describe("What the page before gave as next.")),
});

export const storedFile = z.object({
  id: z.string(),
  key: z.string().check(z.describe("Its name in the protocol's own calls.")),
  name: z.string(),
  type: z.string().check(z.describe("What the bytes show.")),
  size_bytes: z.number(),
  created_at: printedInstant,
  url: z.string().check(z.describe("Opens the file for 15 minutes, without a credential.")),
  thumbnail: z.boolean().check(z.describe("Whether a small picture can be had of it, as far as is known.")),
  threads: z
    .array(z.object({ id: z.string(), title: z.nullable(z.string()) }))
    .check(z.describe("Where messages speak of it, the trash left out.")),
});
export type StoredFile = z.infer<typeof storedFile>;

export const fileList = z.object({
  files: z.array(storedFile),
  next: z
    .nullable(z.string())
    .check(z.describe("What to give as after for the next page; null on the last.")),
  used_bytes: z.number().check(z.describe("What all of the person's files take, in the project.")),
  quota_bytes: z.nullable(z.number()).check(z.describe("What they may take; null: any amount.")),
});

const address = textOf(1, 2_048);

export const downloadRequest = z
  .object({
    key: z.optional(address).check(z.describe("What the upload was given as its key.")),
    url: z.optional(address).check(z.describe("Or the address that it was given.")),
  })
  .check(
    z.refine(({ key, url }) => (key === undefined) !== (url === undefined), {
      path: ["key"],
      message: "must be given, or url, and not both",
    }),
  );

export const pdfRequest = z
  .object({
    file_blob: z
      .optional(z.string().check(z.minLength(1, "must not be empty")))
      .check(z.describe("The PDF as a data URL, or in base64.")),
    file_url: z.optional(address).check(z.describe("Or where it can be read.")),
    format: z
      .optional(z.enum(["png", "webp"], "must be png or webp"))
      .check(z.describe("Of the images; `png` where nothing is said.")),
  })
  .check(
    z.refine(({ file_blob: blob, file_url: url }) => (blob === undefined) !== (url === undefined), {
      path: ["file_blob"],
      message: "must be given, or file_url, and not both",
    }),
  );

export const upload = z.object({
  success: z.boolean(),
  signedUrl: z.string().check(z.describe("Where to PUT the bytes, for 15 minutes.")),
  expiresAt: z.string(),
  publicUrl: z.string().check(z.describe("Where they can be read afterwards.")),
  key: z.string(),
  file_id: z.string(),
});

export const download = z.object({ signedUrl: z.string(), expiresAt: z.string(), key: z.string() });

const pdfPage = {
  url: z.string().check(z.describe("Opens the page's image without a credential, for an hour.")),
  width: z.number().check(z.describe("Of the image, in pixels.")),
  height: z.number(),
  text: z.string().check(z.describe("What stands on the page, as far as it can be read.")),
};

export const pdfImages = z.object({
  success: z.boolean(),
  urls: z.array(z.string()).check(z.describe("One image for each page, in their order.")),
  message: z.string(),
  pages: z.array(z.object(pdfPage)).check(z.describe("The same pages, and their text.")),
});

/** What is told of a PDF while its pages are drawn: one start, each page in its turn, one end. */
export type PdfEvent =
  | { type: "pdf-start"; pages: number }
  | { type: "pdf-page"; number: number; url: string; width: number; height: number; text: string }
  | { type: "pdf-end" };

const fileParams = z.object({ file_id: anyId });

export const fileEndpoints = {
  "files.upload": {
    method: "POST",
    path: "/v1/files/attachments/generate-presigned-upload-url",
    caller: "visitor",
    summary: "Ask for an address to upload a file to",
    description:
      "Answers where to PUT the bytes, without a credential and within 15 minutes, and the address that the file has from then on. Whoever knows `publicUrl` can read the file for as long as it is there: store it as it is. A file that no message speaks of goes after 24 hours.",
    body: uploadRequest,
    kind: "json",
    status: 201,
    response: upload,
    errors: ["file-too-large", "quota-full", "too-many-uploads"],
    example: { body: { filename: "garden.png" } },
  },
  "files.download": {
    method: "POST",
    path: "/v1/files/attachments/generate-presigned-download-url",
    caller: "visitor",
    summary: "Ask for an address to read a file from",
    description:
      "Answers an address that opens the file for 15 minutes, without a credential and without telling its lasting one.",
    body: downloadRequest,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: download,
    errors: ["file-not-found"],
    example: { body: { key: "$FILE_KEY" } },
  },
  "files.list": {
    method: "GET",
    path: "/v1/files",
    caller: "visitor",
    summary: "List one's own files",
    description:
      "What the caller attached in this workspace, and what it takes. A file of a message is deleted with it.",
    query: fileListQuery,
    kind: "json",
    status: 200,
    response: fileList,
    errors: ["bad-cursor"],
    example: { query: { sort: "largest", limit: "20" } },
  },
  "files.get": {
    method: "GET",
    path: "/v1/files/{file_id}",
    caller: "visitor",
    summary: "Read what is known of a file",
    description:
      "Any file of the workspace, once its bytes are there. Asked for what was sent to a bucket, it takes that in, or says why it is not kept.",
    params: fileParams,
    kind: "json",
    status: 200,
    response: storedFile,
    errors: ["file-too-large", "quota-full"],
  },
  "files.remove": {
    method: "DELETE",
    path: "/v1/files/{file_id}",
    caller: "visitor",
    summary: "Delete a file of one's own",
    description:
      "At once and for good; messages that speak of it have a dead address from then on. A colleague's file is not the caller's to delete.",
    params: fileParams,
    kind: "json",
    status: 200,
    response: empty,
    errors: ["not-allowed"],
  },
  "files.receive": {
    method: "PUT",
    path: "/v1/files/{file_id}/content",
    caller: "link",
    summary: "Upload a file to the address that was given",
    description:
      "The address is that of `signedUrl`, to the letter, where it leads to this server; with a bucket, and a `content_length` that was declared, it leads there. It takes one file: the same bytes again succeed, others are refused.",
    params: fileParams,
    query: receiveQuery,
    bodyFormat: "bytes",
    kind: "json",
    status: 200,
    response: empty,
    errors: ["link-expired", "file-too-large", "quota-full", "too-many-uploads", "file-already-stored"],
    example: { query: { expires: "1769860800000", signature: "…" }, url: "$SIGNED_URL" },
  },
  "files.read": {
    method: "GET",
    path: "/v1/files/{file_id}/content",
    caller: "visitor",
    summary: "Read a file of the workspace",
    description:
      "Of the type that the bytes show. What a browser could run is sent to be saved. Takes `Range` (one), `If-None-Match` and `If-Range`.",
    params: fileParams,
    query: readQuery,
    kind: "bytes",
    status: 200,
    errors: ["range-not-satisfiable"],
  },
  "files.thumbnail": {
    method: "GET",
    path: "/v1/files/{file_id}/thumbnail",
    caller: "visitor",
    summary: "Read a small picture of a picture",
    description:
      "A WebP of at most 512 pixels in width and height, upright, of the first frame, and without what a camera wrote beside the picture. It is made when it is first asked for, of PNG, JPEG, WebP, GIF, TIFF and AVIF. Takes `Range` (one), `If-None-Match` and `If-Range`.",
    params: fileParams,
    kind: "bytes",
    status: 200,
    errors: ["no-thumbnail", "range-not-satisfiable"],
  },
  "files.open": {
    method: "GET",
    path: "/v1/content/{file_id}/{file_secret}",
    caller: "link",
    summary: "Read a file by its address alone",
    description:
      "The address is a file's `publicUrl` or a `signedUrl` of the call before, to the letter; it opens the file for whoever knows it, from any page, as the call above does.",
    params: z.object({ file_id: anyId, file_secret: anyId }),
    query: openQuery,
    kind: "bytes",
    status: 200,
    errors: ["link-expired", "range-not-satisfiable"],
    example: { url: "$PUBLIC_URL" },
  },
  "files.pdfToImages": {
    method: "POST",
    path: "/v1/files/pdf-to-images",
    caller: "visitor",
    summary: "Turn a PDF's pages into images and text",
    description:
      "Each page is drawn at 150 dots per inch, a very large one smaller, and its text is told beside it. A PDF has at most 25 MiB and 200 pages. At `file_url` may stand a file of this server or a public address; the server reads that without a credential, and only where it really leads to the public internet. The same PDF of the same workspace is drawn once a day. With `Accept: text/event-stream` pages come as they are drawn: `pdf-start` with the number of `pages`, a `pdf-page` for each in its turn with its `number` and what stands in `pages` otherwise, and `pdf-end`; without that last one, something failed. Whoever hangs up ends the work.",
    body: pdfRequest,
    bodyBytesMax: limits.pdfBodyBytes,
    kind: "json",
    status: 200,
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
    method: "GET",
    path: "/v1/pages/{page_id}",
    caller: "link",
    summary: "Read the image of a PDF's page",
    description:
      "The address is one of those that the call before answered, to the letter; it opens the page's image for whoever knows it, from any page, for an hour.",
    params: z.object({ page_id: anyId }),
    kind: "bytes",
    status: 200,
    errors: ["link-expired", "range-not-satisfiable"],
    example: { url: "$PAGE_URL" },
  },
} as const satisfies Endpoints;
