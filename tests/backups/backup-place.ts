import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import type { BackupReport } from "#contract/backups/endpoints.ts";
import type { Visitor } from "../support/clients/visitor.ts";

export const passphrase = "correct horse battery staple";

/** A new folder for backups. */
export async function newFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "parlance-backups-"));
}

export const inFolder = (folder: string): BodyInputOf<"backups.put"> => ({
  target: { folder, bucket: null },
  time: "03:15",
  keep_days: 2,
  passphrase,
});

export const inBucket = (endpoint: string, bucket = "backups") => ({
  endpoint,
  bucket,
  region: "us-east-1",
  style: "path" as const,
  access_key_id: "test",
  secret_access_key: "test",
});

/** Makes a backup now, and returns how it ended. */
export async function backUpNow(owner: Visitor): Promise<BackupReport> {
  const before = await owner.call("backups.get");
  await owner.call("backups.start");
  const endsOf = ({ last_success: success, last_failure: failure }: BackupReport) => [
    success?.at,
    failure?.at,
  ];
  await expect
    .poll(
      async () => {
        const now = await owner.call("backups.get");
        return !now.is_running && JSON.stringify(endsOf(now)) !== JSON.stringify(endsOf(before));
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  return await owner.call("backups.get");
}
