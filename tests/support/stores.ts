import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import type { Blobs } from "#storage/blobs/blobs.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { S3Place } from "#storage/blobs/s3.ts";

/** Stores that a suite of files is to run on: the disk, and the run's S3 server where this machine has one. */
export const stores: readonly ("disk" | "s3")[] = process.env.TEST_S3 ? ["disk", "s3"] : ["disk"];

export type StoreName = (typeof stores)[number];

/** A bucket with nothing in it, on the run's S3 server. */
export async function freshBucket(): Promise<S3Place> {
  const answer = await fetch(process.env.TEST_S3!);
  if (!answer.ok) throw new Error(await answer.text());
  const server = (await answer.json()) as Omit<S3Place, "bucket" | "style">;
  const bucket = `test-${randomBytes(8).toString("hex")}`;
  const client = new AwsClient({ ...server, service: "s3", retries: 3 });
  const made = await client.fetch(`${server.endpoint}/${bucket}`, { method: "PUT" });
  if (!made.ok) throw new Error(`No bucket: ${made.status} ${await made.text()}`);
  return { ...server, bucket, style: "path" };
}

/** An empty store of the caller's own. */
export async function freshStore(
  name: StoreName,
): Promise<{ blobs: Blobs; folder: string; s3: S3Place | undefined; remove(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "parlance-blobs-"));
  const s3 = name === "s3" ? await freshBucket() : undefined;
  return {
    blobs: await openBlobs({ dataDir, s3 }),
    folder: join(dataDir, "files"),
    s3,
    remove: async () => await rm(dataDir, { recursive: true, force: true }),
  };
}

/** The settings of a server that keeps its files there. */
export async function storeSettings(name: StoreName): Promise<Record<string, string>> {
  if (name === "disk") return {};
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = await freshBucket();
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/** The bucket that such settings name. */
export function s3PlaceOf(settings: Record<string, string>): S3Place | undefined {
  if (settings.S3_ENDPOINT === undefined) return undefined;
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: settings.S3_BUCKET!,
    region: settings.S3_REGION!,
    accessKeyId: settings.S3_ACCESS_KEY_ID!,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY!,
    style: "path",
  };
}
