import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { anyId, name, printedInstant, queryFlag, queryNumber, textOf, wholeNumber } from "./shapes.ts";

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
