import * as z from "zod/mini";
import { limits } from "../limits.ts";
import {
  anyId,
  name,
  timestamp,
  queryFlag,
  queryNumber,
  textOf,
  wholeNumber,
  emptyObject,
} from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";
import { unreadReasons } from "../parts/unread-files.ts";

const uploadRequest = z.object({
  filename: name.check(z.describe("A label, not a path.")),
  content_type: z.optional(name).check(z.describe("If given, the upload must have this Content-Type.")),
  content_length: z
    .optional(wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .check(z.describe("If given, the upload must have exactly this many bytes.")),
  thread_id: z
    .optional(anyId)
    .check(
      z.describe(
        "In the web app: the thread that it is for. If somebody else shares that with you, the file becomes one of the thread's.",
      ),
    ),
  temporary: z
    .optional(z.boolean())
    .check(
      z.describe(
        "The file is for a temporary thread: until a message links to the file, it is in no list and no backup, and it is deleted after 45 minutes. Getting its metadata postpones that.",
      ),
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

const asDownload = z
  .optional(queryFlag)
  .check(z.describe("`true`: sent as an attachment, so browsers save it instead of showing it."));

const readQuery = z.object({ download: asDownload });

const openQuery = z.object({
  expires: z.optional(expires),
  signature: z.optional(signature),
  download: asDownload,
});

const fileListQuery = z.object({
  q: z
    .optional(textOf(1, limits.nameCharacters))
    .check(
      z.describe(
        "Part of the name (ignoring case), or words of the text of attached files, once it was extracted.",
      ),
    ),
  sort: z
    .optional(z.enum(["newest", "oldest", "name", "largest"], "must be newest, oldest, name or largest"))
    .check(z.describe("Default: newest.")),
  kind: z
    .optional(
      z.enum(
        ["image", "audio", "video", "text", "application"],
        "must be image, audio, video, text or application",
      ),
    )
    .check(z.describe("Only files of this media type.")),
  thread_id: z.optional(anyId).check(z.describe("Only files that messages of this thread link to.")),
  limit: z
    .optional(queryNumber(1, limits.filePageMax))
    .check(z.describe(`Page size. Default: ${limits.filePage}.`)),
  after: z.optional(anyId).check(z.describe("The `next` of the previous page.")),
});

export const storedFile = z.object({
  id: z.string(),
  key: z.string().check(z.describe("Its key in the hosted protocol.")),
  name: z.string(),
  type: z.string().check(z.describe("Media type, detected from the bytes.")),
  size_bytes: z.number(),
  created_at: timestamp,
  url: z.string().check(z.describe("A URL that opens the file without a credential, for 15 minutes.")),
  thumbnail: z.boolean().check(z.describe("Whether it probably has a thumbnail.")),
  threads: z
    .array(z.object({ id: z.string(), title: z.nullable(z.string()) }))
    .check(z.describe("Threads with messages that link to it, without the trash.")),
  is_sent: z
    .boolean()
    .check(z.describe("Whether a message has it or had it. The server deletes others after a day.")),
});
export type StoredFile = z.infer<typeof storedFile>;

const fileList = z.object({
  files: z.array(storedFile),
  next: z.nullable(z.string()).check(z.describe("The `after` of the next page; null on the last page.")),
  used_bytes: z
    .number()
    .check(
      z.describe(
        "What the user stores in the app, in bytes: their files, and the messages, reports and metadata of the threads they created, including those in the trash.",
      ),
    ),
  quota_bytes: z.nullable(z.number()).check(z.describe("The user's quota; null for none.")),
});

const fileText = z.object({
  type: z.string().check(z.describe("Media type, detected from the bytes.")),
  size_bytes: z.number(),
  text: z
    .nullable(z.string())
    .check(
      z.describe(
        "The text that models get of the file: Markdown for text documents, CSV for sheets. Pages of a PDF are separated by form feeds. Null if the file has none.",
      ),
    ),
  complete: z.boolean().check(z.describe("Whether that is all of the text.")),
  reason: z
    .nullable(z.enum(unreadReasons))
    .check(
      z.describe(
        "Why there is no text: `kind` (no text is extracted from this type), `locked` (encrypted), `damaged`, `too-large`, `only-pictures`, or `away` (try again later). Else null.",
      ),
    ),
});

const address = textOf(1, 2_048);

const downloadRequest = z
  .object({
    key: z.optional(address).check(z.describe("The `key` that the upload returned.")),
    url: z.optional(address).check(z.describe("Or the URL that the upload returned.")),
  })
  .check(
    z.refine(({ key, url }) => (key === undefined) !== (url === undefined), {
      path: ["key"],
      message: "give either key or url",
    }),
  );

const upload = z.object({
  success: z.boolean(),
  signedUrl: z.string().check(z.describe("The URL to PUT the bytes to, valid for 15 minutes.")),
  expiresAt: z.string(),
  publicUrl: z.string().check(z.describe("The file's permanent URL.")),
  key: z.string(),
  file_id: z.string(),
});

const download = z.object({ signedUrl: z.string(), expiresAt: z.string(), key: z.string() });

const fileParams = z.object({ file_id: anyId });

export const fileEndpoints = {
  "files.upload": {
    method: "POST",
    path: "/v1/files/attachments/generate-presigned-upload-url",
    caller: "visitor",
    members: "write",
    permission: "files.upload",
    audit: { none: "own-content" },
    summary: "Get a URL to upload a file to",
    description:
      "Returns the URL to PUT the bytes to, without a credential and within 15 minutes, and the file's permanent URL. Anyone with `publicUrl` can read the file as long as it exists. Store that URL unchanged in messages. A file that no message links to is deleted after 24 hours, or earlier if it is `temporary`.",
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
    audit: { none: "no-change" },
    summary: "Get a temporary URL to read a file",
    description:
      "Returns a URL that opens the file for 15 minutes without a credential, and that does not reveal its permanent URL. An API key can also renew a signed URL, expired or not, of any workspace of its app.",
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
    summary: "List your files",
    description:
      "The files that the caller uploaded in this workspace, and the storage they use. A file of a message is deleted with the message.",
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
    summary: "Get a file's metadata",
    description:
      "For any file of the workspace whose bytes were uploaded. After an upload to a bucket, this call checks the file and stores it, or returns why it was rejected. An unsent file for a temporary thread is kept for 45 more minutes, up to a day after its upload.",
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
    audit: { none: "own-content" },
    summary: "Delete one of your files",
    description:
      "Deletes the file immediately and permanently. Links in messages stop working. Only the user who uploaded a file can delete it.",
    params: fileParams,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["not-allowed"],
  },
  "files.receive": {
    method: "PUT",
    path: "/v1/files/{file_id}/content",
    caller: "link",
    audit: { none: "own-content" },
    summary: "Upload a file to its signed URL",
    description:
      "Use `signedUrl` unchanged. It points to this server, or to the bucket if there is one and `content_length` was given. It accepts one file: repeating the same bytes succeeds, other bytes are rejected.",
    params: fileParams,
    query: receiveQuery,
    bodyFormat: "bytes",
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["link-expired", "file-too-large", "quota-full", "too-many-uploads", "file-already-stored"],
    example: { query: { expires: "1769860800000", signature: "…" }, url: "$SIGNED_URL" },
  },
  "files.read": {
    method: "GET",
    path: "/v1/files/{file_id}/content",
    caller: "visitor",
    members: "read",
    summary: "Download a file of the workspace",
    description:
      "The Content-Type is detected from the bytes. Types that a browser could execute are sent as attachments. Supports `Range` (one range), `If-None-Match` and `If-Range`.",
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
    members: "read",
    summary: "Get the thumbnail of an image",
    description:
      "A WebP of the first frame, at most 512 by 512 pixels, rotated upright and without camera metadata. It is created at the first request, for PNG, JPEG, WebP, GIF, TIFF and AVIF. Supports `Range` (one range), `If-None-Match` and `If-Range`.",
    params: fileParams,
    kind: "bytes",
    status: 200,
    errors: ["no-thumbnail", "range-not-satisfiable"],
  },
  "files.text": {
    method: "GET",
    path: "/v1/files/{file_id}/text",
    caller: "visitor",
    members: "read",
    summary: "Get the text of a file",
    description:
      "The text of a text file, a PDF or an Office document, at most 1,000,000 characters. It is extracted at the first request or soon after a message refers to the file, and stored.",
    params: fileParams,
    kind: "json",
    status: 200,
    response: fileText,
    errors: [],
  },
  "files.open": {
    method: "GET",
    path: "/v1/content/{file_id}/{file_secret}",
    caller: "link",
    summary: "Download a file by its public or signed URL",
    description:
      "Use a file's `publicUrl`, or the `signedUrl` of a temporary URL, unchanged. Anyone with the URL can read the file, from any origin.",
    params: z.object({ file_id: anyId, file_secret: anyId }),
    query: openQuery,
    kind: "bytes",
    status: 200,
    errors: ["link-expired", "range-not-satisfiable"],
    example: { url: "$PUBLIC_URL" },
  },
} as const satisfies Endpoints;
