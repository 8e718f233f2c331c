import { randomBytes } from "node:crypto";
import dns from "node:dns";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll } from "vitest";
import type { Blobs } from "#storage/blobs/blobs.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { S3Location } from "#storage/blobs/s3-location.ts";
import { engines } from "../postgres/postgres.ts";
import type { EngineName } from "./server.ts";

/** `s3-virtual` has the bucket's name in the host of its URLs. */
export type StoreName = "disk" | "s3" | "s3-virtual";

/** The file stores on which suites run: the disk, and S3 if this run has a server. */
export const stores: readonly StoreName[] = process.env.TEST_S3 ? ["disk", "s3"] : ["disk"];

/** Like `stores`, with both styles of bucket URLs. Suites that use it call `resolveLocalhostNames`. */
export const storesAndUrlStyles: readonly StoreName[] = process.env.TEST_S3
  ? [...stores, "s3-virtual"]
  : stores;

/**
 * The engines for a suite that runs on every store. Bytes and rows are independent, so each store and each engine is in
 * one pair: SQLite with the disk, and PostgreSQL with the bucket. Without a bucket, both engines use the disk.
 */
export function enginesWith(store: StoreName): readonly EngineName[] {
  if (!stores.includes("s3")) return engines;
  return store === "s3" && engines.includes("postgres") ? ["postgres"] : ["sqlite"];
}

/**
 * Resolves names under `localhost` to this machine during the suite, as browsers do, so that URLs with the bucket's name
 * in the host work.
 */
export function resolveLocalhostNames(): void {
  const { lookup } = dns;
  beforeAll(() => {
    dns.lookup = ((name: string, ...rest: [never, never]) =>
      lookup(name.endsWith(".localhost") ? "localhost" : name, ...rest)) as typeof lookup;
  });
  afterAll(() => void (dns.lookup = lookup));
}

/** Creates an empty bucket on the run's S3 server. */
export async function freshBucket(style: S3Location["style"] = "path"): Promise<S3Location> {
  const answer = await fetch(process.env.TEST_S3!);
  if (!answer.ok) throw new Error(await answer.text());
  const server = (await answer.json()) as Omit<S3Location, "bucket" | "style">;
  const bucket = `test-${randomBytes(8).toString("hex")}`;
  const client = new AwsClient({ ...server, service: "s3", retries: 3 });
  const created = await client.fetch(`${server.endpoint}/${bucket}`, { method: "PUT" });
  if (!created.ok) throw new Error(`Could not create the bucket: ${created.status} ${await created.text()}`);
  const endpoint = new URL(server.endpoint);
  if (style === "virtual") endpoint.hostname = "localhost";
  return { ...server, endpoint: endpoint.origin, bucket, style };
}

/** Creates an empty store. The caller removes it. */
export async function freshStore(
  name: StoreName,
): Promise<{ blobs: Blobs; folder: string; s3: S3Location | undefined; remove(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "parlance-blobs-"));
  const s3 = await bucketOf(name);
  return {
    blobs: await openBlobs({ dataDir, s3 }),
    folder: join(dataDir, "files"),
    s3,
    remove: async () => await rm(dataDir, { recursive: true, force: true }),
  };
}

/** The settings of a server that stores its files there. */
export async function storeSettings(name: StoreName): Promise<Record<string, string>> {
  const place = await bucketOf(name);
  if (place === undefined) return {};
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, style } = place;
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_STYLE: style,
  };
}

async function bucketOf(name: StoreName): Promise<S3Location | undefined> {
  if (name === "disk") return undefined;
  return await freshBucket(name === "s3" ? "path" : "virtual");
}

/** Puts an object into the bucket under a key that Parlance does not use. */
export async function putForeignObject(settings: Record<string, string>, key: string): Promise<void> {
  const { endpoint, bucket, ...keys } = s3LocationOf(settings)!;
  const url = `${endpoint}/${bucket}/${encodeURI(key)}`;
  const answer = await new AwsClient({ ...keys, service: "s3" }).fetch(url, { method: "PUT", body: "x" });
  if (!answer.ok) throw new Error(`Could not store the object: ${answer.status} ${await answer.text()}`);
}

/** The bucket in these settings. */
export function s3LocationOf(settings: Record<string, string>): S3Location | undefined {
  if (settings.S3_ENDPOINT === undefined) return undefined;
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: settings.S3_BUCKET!,
    region: settings.S3_REGION!,
    accessKeyId: settings.S3_ACCESS_KEY_ID!,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY!,
    style: settings.S3_STYLE as S3Location["style"],
  };
}
