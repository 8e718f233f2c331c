import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, described, name, queryFlag, queryNumber, textOf, timestamp, wholeNumber } from "./fields.ts";
import { endpoints } from "./endpoints.ts";
import { unreadReasons } from "../parts/unread-files.ts";

const uploadRequest = z.object({
  filename: described(name, "A label, not a path."),
  content_type: described(z.optional(name), "If given, the upload must have this Content-Type."),
  content_length: described(
    z.optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    "If given, the upload must have exactly this many bytes.",
  ),
  thread_id: described(
    z.optional(anyId),
    "In the web app: the thread that it is for. If somebody else shares that with you, the file becomes one of the thread's.",
  ),
  temporary: described(
    z.optional(z.boolean()),
    "The file is for a temporary thread: until a message links to the file, it is in no list and no backup, and it is deleted after 45 minutes. Getting its metadata postpones that.",
  ),
});

const signature = z.string().check(z.maxLength(100, "must be the signature of the URL"));
const expires = queryNumber(0, Number.MAX_SAFE_INTEGER);

/** The query of a signed upload URL. */
const receiveQuery = z.object({
  expires,
  type: z.optional(z.string()),
  length: z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
  signature,
});

const asDownload = described(
  z.optional(queryFlag),
  "`true`: sent as an attachment, so browsers save it instead of showing it.",
);

const readQuery = z.object({ download: asDownload });

const openQuery = z.object({
  expires: z.optional(expires),
  signature: z.optional(signature),
  download: asDownload,
});

const fileListQuery = z.object({
  q: described(
    z.optional(textOf(1, limits.nameCharacters)),
    "Part of the name (ignoring case), or words of the text of attached files, once it was extracted.",
  ),
  sort: described(
    z.optional(z.enum(["newest", "oldest", "name", "largest"], "must be newest, oldest, name or largest")),
    "Default: newest.",
  ),
  kind: described(
    z.optional(
      z.enum(
        ["image", "audio", "video", "text", "application"],
        "must be image, audio, video, text or application",
      ),
    ),
    "Only files of this media type.",
  ),
  thread_id: described(z.optional(anyId), "Only files that messages of this thread link to."),
  limit: described(z.optional(queryNumber(1, limits.filePageMax)), `Page size. Default: ${limits.filePage}.`),
  after: described(z.optional(anyId), "The `next` of the previous page."),
});

export const storedFile = z.object({
  id: z.string(),
  key: described(z.string(), "Its key in the hosted protocol."),
  name: z.string(),
  type: described(z.string(), "Media type, detected from the bytes."),
  size_bytes: z.number(),
  created_at: timestamp,
  url: described(z.string(), "A URL that opens the file without a credential, for 15 minutes."),
  thumbnail: described(z.boolean(), "Whether it probably has a thumbnail."),
  threads: described(
    z.array(z.object({ id: z.string(), title: z.nullable(z.string()) })),
    "Threads with messages that link to it, without the trash.",
  ),
  is_sent: described(
    z.boolean(),
    "Whether a message has it or had it. The server deletes others after a day.",
  ),
});
export type StoredFile = z.infer<typeof storedFile>;

const fileList = z.object({
  files: z.array(storedFile),
  next: described(z.nullable(z.string()), "The `after` of the next page; null on the last page."),
  used_bytes: described(
    z.number(),
    "What the user stores in the app, in bytes: their files, and the messages, reports and metadata of the threads they created, including those in the trash.",
  ),
  quota_bytes: described(z.nullable(z.number()), "The user's quota; null for none."),
});

const fileText = z.object({
  type: described(z.string(), "Media type, detected from the bytes."),
  size_bytes: z.number(),
  text: described(
    z.nullable(z.string()),
    "The text that models get of the file: Markdown for text documents, CSV for sheets. Pages of a PDF are separated by form feeds. Null if the file has none.",
  ),
  complete: described(z.boolean(), "Whether that is all of the text."),
  recognized_pages: described(
    z.number(),
    "On how many pages the text is recognized from a picture, and may have mistakes; 1 for a picture.",
  ),
  reason: described(
    z.nullable(z.enum(unreadReasons)),
    "Why there is no text: `kind` (no text is extracted from this type), `locked` (encrypted), `damaged`, `too-large`, `only-pictures`, or `away` (try again later). Else null.",
  ),
});

const address = textOf(1, 2_048);

const downloadRequest = z
  .object({
    key: described(z.optional(address), "The `key` that the upload returned."),
    url: described(z.optional(address), "Or the URL that the upload returned."),
  })
  .check(
    z.refine(({ key, url }) => (key === undefined) !== (url === undefined), {
      path: ["key"],
      message: "give either key or url",
    }),
  );

const upload = z.object({
  success: z.boolean(),
  signedUrl: described(z.string(), "The URL to PUT the bytes to, valid for 15 minutes."),
  expiresAt: z.string(),
  publicUrl: described(z.string(), "The file's permanent URL."),
  key: z.string(),
  file_id: z.string(),
});

const download = z.object({ signedUrl: z.string(), expiresAt: z.string(), key: z.string() });

export const fileEndpoints = endpoints("visitor", {
  "files.upload": {
    request: "POST /v1/files/attachments/generate-presigned-upload-url",
    members: "write",
    permission: "files.upload",
    audit: { none: "own-content" },
    summary: "Get a URL to upload a file to",
    description:
      "Returns the URL to PUT the bytes to, without a credential and within 15 minutes, and the file's permanent URL. Anyone with `publicUrl` can read the file as long as it exists. Store that URL unchanged in messages. A file that no message links to is deleted after 24 hours, or earlier if it is `temporary`.",
    body: uploadRequest,
    status: 201,
    response: upload,
    errors: ["file-too-large", "quota-full", "too-many-uploads"],
    example: { body: { filename: "garden.png" } },
  },
  "files.download": {
    request: "POST /v1/files/attachments/generate-presigned-download-url",
    audit: { none: "no-change" },
    summary: "Get a temporary URL to read a file",
    description:
      "Returns a URL that opens the file for 15 minutes without a credential, and that does not reveal its permanent URL. An API key can also renew a signed URL, expired or not, of any workspace of its app.",
    body: downloadRequest,
    bodyBytesMax: limits.formBodyBytes,
    response: download,
    errors: ["file-not-found"],
    example: { body: { key: "$FILE_KEY" } },
  },
  "files.list": {
    request: "GET /v1/files",
    summary: "List your files",
    description:
      "The files that the caller uploaded in this workspace, and the storage they use. A file of a message is deleted with the message.",
    query: fileListQuery,
    response: fileList,
    errors: ["bad-cursor"],
    example: { query: { sort: "largest", limit: "20" } },
  },
  "files.get": {
    request: "GET /v1/files/{file_id}",
    summary: "Get a file's metadata",
    description:
      "For any file of the workspace whose bytes were uploaded. After an upload to a bucket, this call checks the file and stores it, or returns why it was rejected. An unsent file for a temporary thread is kept for 45 more minutes, up to a day after its upload.",
    response: storedFile,
    errors: ["file-too-large", "quota-full"],
  },
  "files.remove": {
    request: "DELETE /v1/files/{file_id}",
    audit: { none: "own-content" },
    summary: "Delete one of your files",
    description:
      "Deletes the file immediately and permanently. Links in messages stop working. Only the user who uploaded a file can delete it.",
    errors: ["not-allowed"],
  },
  "files.receive": {
    request: "PUT /v1/files/{file_id}/content",
    caller: "link",
    audit: { none: "own-content" },
    summary: "Upload a file to its signed URL",
    description:
      "Use `signedUrl` unchanged. It points to this server, or to the bucket if there is one and `content_length` was given. It accepts one file: repeating the same bytes succeeds, other bytes are rejected.",
    query: receiveQuery,
    bodyFormat: "bytes",
    errors: ["link-expired", "file-too-large", "quota-full", "too-many-uploads", "file-already-stored"],
    example: { query: { expires: "1769860800000", signature: "…" }, url: "$SIGNED_URL" },
  },
  "files.read": {
    request: "GET /v1/files/{file_id}/content",
    members: "read",
    summary: "Download a file of the workspace",
    description:
      "The Content-Type is detected from the bytes. Types that a browser could execute are sent as attachments. Supports `Range` (one range), `If-None-Match` and `If-Range`.",
    query: readQuery,
    kind: "bytes",
    errors: ["range-not-satisfiable"],
  },
  "files.thumbnail": {
    request: "GET /v1/files/{file_id}/thumbnail",
    members: "read",
    summary: "Get the thumbnail of an image",
    description:
      "A WebP of the first frame, at most 512 by 512 pixels, rotated upright and without camera metadata. It is created at the first request, for PNG, JPEG, WebP, GIF, TIFF and AVIF. Supports `Range` (one range), `If-None-Match` and `If-Range`.",
    kind: "bytes",
    errors: ["no-thumbnail", "range-not-satisfiable"],
  },
  "files.text": {
    request: "GET /v1/files/{file_id}/text",
    members: "read",
    summary: "Get the text of a file",
    description:
      "The text of a text file, a PDF or an Office document, at most 1,000,000 characters. It is extracted at the first request or soon after a message refers to the file, and stored. If the server has OCR, the text of scanned pages follows soon after, and that of a picture when a model needs it.",
    response: fileText,
  },
  "files.open": {
    request: "GET /v1/content/{file_id}/{file_secret}",
    caller: "link",
    summary: "Download a file by its public or signed URL",
    description:
      "Use a file's `publicUrl`, or the `signedUrl` of a temporary URL, unchanged. Anyone with the URL can read the file, from any origin.",
    query: openQuery,
    kind: "bytes",
    errors: ["link-expired", "range-not-satisfiable"],
    example: { url: "$PUBLIC_URL" },
  },
});
