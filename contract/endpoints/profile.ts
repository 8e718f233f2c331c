import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { me } from "./auth.ts";
import { anyId, described, knownTimeZone } from "./fields.ts";

const language = z
  .string()
  .check(z.regex(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8}){0,3}$/, "must be a language tag such as en or pt-BR"));

const picture = described(
  z
    .string()
    .check(
      z.regex(
        /^data:image\/(?:webp|jpeg|png);base64,[A-Za-z0-9+/]+={0,2}$/,
        "must be a data: URL of a WebP, JPEG or PNG picture, in base64",
      ),
      z.maxLength(
        Math.ceil((limits.pictureBytes * 4) / 3),
        `must be a picture of at most ${limits.pictureBytes / 1024} KiB`,
      ),
    ),
  "A `data:` URL of a WebP, JPEG or PNG picture. It is stored as a small WebP without metadata.",
);

export const profileEndpoints = endpoints("account", {
  "profile.update": {
    request: "PUT /v1/profile",
    audit: { none: "own-content" },
    summary: "Change your profile",
    description:
      "The app follows it on every device. Absent fields stay as they are. A model or an assistant that is gone, or that you may not use, counts as not set.",
    body: z.object({
      language: z.exactOptional(z.nullable(language)),
      time_zone: z.exactOptional(z.nullable(knownTimeZone)),
      default_model: z.exactOptional(z.nullable(anyId)),
      default_assistant_id: z.exactOptional(z.nullable(anyId)),
      picture: z.exactOptional(z.nullable(picture)),
    }),
    bodyBytesMax: limits.formBodyBytes,
    response: me,
    errors: ["picture-invalid", "maintenance"],
    example: { body: { language: "en", time_zone: "Europe/Berlin" } },
  },
  "profile.picture": {
    request: "GET /v1/pictures/{picture_id}",
    caller: "link",
    summary: "Get the picture of a person",
    description:
      "Use a `picture_url` unchanged. Another picture has another address. Supports `If-None-Match`.",
    kind: "bytes",
    example: { url: "$PICTURE_URL" },
  },
});
