export type S3Place = {
  /** The address of the service, such as https://s3.eu-central-1.amazonaws.com. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `path`: endpoint/bucket/key, which every service knows. `virtual`: bucket.endpoint/key, which some want. */
  style: "path" | "virtual";
};

/** The address of a bucket, without a slash at its end. */
export function bucketUrl({ endpoint, bucket, style }: S3Place): string {
  const url = new URL(endpoint);
  if (style === "virtual") url.hostname = `${bucket}.${url.hostname}`;
  return `${url.href.replace(/\/$/, "")}${style === "path" ? `/${bucket}` : ""}`;
}

/** Where browsers send what goes to a bucket. */
export function s3Origin(place: S3Place): string {
  return new URL(bucketUrl(place)).origin;
}
