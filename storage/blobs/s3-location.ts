export type S3Location = {
  /** The URL of the service, such as https://s3.eu-central-1.amazonaws.com. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `path`: endpoint/bucket/key, which every service supports. `virtual`: bucket.endpoint/key, which some require. */
  style: "path" | "virtual";
};

/** The URL of a bucket, without a slash at the end. */
export function bucketUrl({ endpoint, bucket, style }: S3Location): string {
  const url = new URL(endpoint);
  if (style === "virtual") url.hostname = `${bucket}.${url.hostname}`;
  return `${url.href.replace(/\/$/, "")}${style === "path" ? `/${bucket}` : ""}`;
}

/** The origin that browsers upload to. */
export function s3Origin(location: S3Location): string {
  return new URL(bucketUrl(location)).origin;
}
