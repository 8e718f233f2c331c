import * as z from "zod/mini";
import type { S3Location } from "#storage/blobs/s3-location.ts";
import { setting } from "./setting.ts";
import { oneOf, secret, text, url } from "./setting-types.ts";

/** The settings of a bucket, whose names begin with `prefix`. `about` says what is in it, `use` what they are set for. */
export function bucketSettings({ prefix, about, use }: { prefix: string; about: string; use: string }) {
  const settings = z.object({
    endpoint: setting(`${prefix}S3_ENDPOINT`, about, url()),
    bucket: setting(`${prefix}S3_BUCKET`, "The name of the bucket, which must exist.", text()),
    region: setting(`${prefix}S3_REGION`, "The region of the bucket.", text(), "us-east-1"),
    accessKeyId: setting(
      `${prefix}S3_ACCESS_KEY_ID`,
      "The ID of an access key that may read, write, list and delete objects in the bucket.",
      secret(),
    ),
    secretAccessKey: setting(`${prefix}S3_SECRET_ACCESS_KEY`, "The secret of that access key.", secret()),
    style: setting(
      `${prefix}S3_STYLE`,
      "How URLs name the bucket: path (endpoint/bucket/key) or virtual (bucket.endpoint/key).",
      oneOf(["path", "virtual"]),
      "path",
    ),
  });
  /** All that have no default are set, or none (`undefined`). */
  return z.pipe(
    settings,
    z.transform((given, context): S3Location | undefined => {
      const required = ["endpoint", "bucket", "accessKeyId", "secretAccessKey"] as const;
      const missing = required.filter((key) => given[key] === undefined);
      if (missing.length === 0) return given as S3Location;
      if (missing.length === required.length) return undefined;
      for (const key of missing)
        context.issues.push({
          code: "custom",
          input: undefined,
          path: [key],
          message: `must be set too, to store ${use} in a bucket.`,
        });
      return z.NEVER;
    }),
  );
}

/** The bucket of the files. */
export const s3 = bucketSettings({
  prefix: "",
  about:
    "The URL of an S3-compatible service that stores the files, such as https://s3.eu-central-1.amazonaws.com. Browsers must be able to reach it. Without it, files are stored in the folder files in DATA_DIR.",
  use: "files",
});
