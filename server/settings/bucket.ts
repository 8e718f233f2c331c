const needed = ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];

/** What is wrong where some settings of a bucket are given and others are not: all of them are needed, or none. */
export function missingOfBucket(given: Record<string, string | undefined>): string[] {
  const missing = needed.filter((name) => given[name] === undefined);
  if (missing.length === needed.length) return [];
  return missing.map((name) => `  ${name} must be set too, to keep files in a bucket.`);
}
