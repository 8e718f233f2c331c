import type { S3Place } from "./s3-place.ts";

/** What is wrong where a bucket does not let pages send files to it, and what to do about it. */
export type CorsTrouble = { about: string; remedy: string };

const answerWithinMs = 10_000;

/**
 * Asks the bucket what a browser asks it before it sends a file from a page of `origin`. `undefined` where it may, and
 * where the service does not answer at all.
 */
export async function tryCors(place: S3Place, origin: string): Promise<CorsTrouble | undefined> {
  const { createS3Blobs } = await import("./s3.ts");
  // A signed one, as pages are given: some services answer for no other.
  const address = await createS3Blobs(place).direct!.address({
    key: "incoming/asked-before",
    forSeconds: 60,
    sizeBytes: 0,
  });
  const answer = await fetch(address, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "content-type",
    },
    redirect: "manual",
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch(() => undefined);
  if (answer === undefined) return undefined;
  await answer.body?.cancel();
  const allows = (header: string, wanted: string): boolean =>
    (answer.headers.get(header) ?? "")
      .split(",")
      .some((each) => ["*", wanted].includes(each.trim().toLowerCase()));
  const mayPut =
    answer.ok &&
    allows("access-control-allow-origin", origin.toLowerCase()) &&
    allows("access-control-allow-methods", "put") &&
    allows("access-control-allow-headers", "content-type");
  if (mayPut) return undefined;
  return {
    about: `the bucket ${place.bucket} does not let browsers send files to it from ${origin}`,
    remedy: `Allow ${origin} in its CORS rules: PUT, with the header content-type (docs/self-hosting.md, Files).`,
  };
}
