import { fetchFromBucket } from "./s3-fetch.ts";
import type { S3Location } from "./s3-location.ts";

/** Why pages cannot upload to a bucket, and what to do about it. */
export type CorsProblem = { about: string; remedy: string };

const timeoutMs = 10_000;

/**
 * Sends the preflight request of a browser that uploads a file from a page of `origin`. Returns `undefined` if the bucket
 * allows it, or if the service does not answer at all.
 */
export async function checkCors(location: S3Location, origin: string): Promise<CorsProblem | undefined> {
  const { createS3Blobs } = await import("./s3.ts");
  // A signed URL, because some services respond only to signed requests.
  const url = await createS3Blobs(location).directUploads!.signUrl({
    key: "incoming/preflight",
    forSeconds: 60,
    sizeBytes: 0,
  });
  const response = await fetchFromBucket(url, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "content-type",
    },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined);
  if (response === undefined) return undefined;
  await response.body?.cancel();
  const allows = (header: string, value: string): boolean =>
    (response.headers.get(header) ?? "")
      .split(",")
      .some((allowed) => ["*", value].includes(allowed.trim().toLowerCase()));
  const mayPut =
    response.ok &&
    allows("access-control-allow-origin", origin.toLowerCase()) &&
    allows("access-control-allow-methods", "put") &&
    allows("access-control-allow-headers", "content-type");
  if (mayPut) return undefined;
  return {
    about: `the bucket ${location.bucket} does not allow browsers to upload files from ${origin}`,
    remedy: `Allow ${origin} in its CORS rules: PUT, with the header content-type (docs/guides/files.md).`,
  };
}
