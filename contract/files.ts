import * as z from "zod/mini";
import { name, textOf, wholeNumber } from "./shapes.ts";

/** Files of the protocol. This server keeps none yet: it reads what is asked, and says so. */

export const uploadRequest = z.object({
  filename: name.check(z.describe("A label; never a path.")),
  content_type: z.optional(name),
  content_length: z.optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
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
});

export const download = z.object({ signedUrl: z.string(), expiresAt: z.string(), key: z.string() });

export const pdfImages = z.object({
  success: z.boolean(),
  urls: z.array(z.string()).check(z.describe("One image for each page, in their order.")),
  message: z.string(),
});
