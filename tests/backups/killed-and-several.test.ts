import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { engines } from "../support/postgres/postgres.ts";
import { startOddBucket } from "../support/s3/odd-bucket.ts";
import { killServer } from "../support/servers/kill-server.ts";
import type { ChildServer } from "../support/servers/child-server.ts";
import { canMountDisks, mountSmallDisk } from "../support/servers/small-disk.ts";
import { childForTest, placeForTest } from "../support/test-scope.ts";
import { inFolder, newFolder, passphrase } from "./backup-place.ts";

const waitOptions = { timeout: 60_000 };

async function ownerOf(server: ChildServer): Promise<Browser> {
  const browser = openBrowser(server.url);
  const owner_secret = server.ownerLink.split("#")[1]!;
  await browser.post("accounts.signUp", { name: "Olga", email: "olga@example.com", password, owner_secret });
  return browser;
}

async function signedIn({ url }: ChildServer): Promise<Browser> {
  const browser = openBrowser(url);
  await browser.post("accounts.signIn", { email: "olga@example.com", password });
  return browser;
}

const bucketSettings = (endpoint: string) => ({
  BACKUP_S3_ENDPOINT: endpoint,
  BACKUP_S3_BUCKET: "backups",
  BACKUP_S3_ACCESS_KEY_ID: "test",
  BACKUP_S3_SECRET_ACCESS_KEY: "test",
  BACKUP_PASSPHRASE: passphrase,
});

describe.each(engines)("a backup (%s)", (engine) => {
  test("whose server is killed in the middle leaves nothing, and is made again", async () => {
    const place = await placeForTest(engine);
    const bucket = await startOddBucket();
    onTestFinished(bucket.close);
    bucket.become("silent");
    const first = await childForTest(place, undefined, bucketSettings(bucket.endpoint));
    await (await ownerOf(first)).call("backups.start");
    await expect.poll(bucket.uploads, waitOptions).toBe(1);
    await killServer(first, place);
    expect(bucket.names()).toEqual([]);
    bucket.become("none");
    const second = await childForTest(place, undefined, bucketSettings(bucket.endpoint));
    await expect.poll(bucket.names, waitOptions).toHaveLength(1);
    const olga = await signedIn(second);
    await expect.poll(async () => (await olga.call("backups.get")).is_running, waitOptions).toBe(false);
    expect(await olga.call("backups.get")).toMatchObject({ failures: 0, last_failure: null });
    expect(bucket.names()).toHaveLength(1);
    // A lease that nobody renews ends after 15 seconds.
  }, 60_000);
});

test.skipIf(!engines.includes("postgres"))("two servers of a database make one backup", async () => {
  const place = await placeForTest("postgres");
  const folder = await newFolder();
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const settings = { BACKUP_FOLDER: folder, BACKUP_PASSPHRASE: passphrase };
  const servers = [
    await childForTest(place, undefined, settings),
    await childForTest(place, undefined, settings),
  ];
  const first = await ownerOf(servers[0]!);
  const second = await signedIn(servers[1]!);
  await Promise.all([first.call("backups.start"), second.call("backups.start")]);
  await expect
    .poll(async () => {
      const { is_running: isRunning, last_success: success } = await second.call("backups.get");
      return !isRunning && success !== null;
    }, waitOptions)
    .toBe(true);
  const { backups } = await first.call("backups.list");
  expect(backups).toHaveLength(1);
});

test.skipIf(!canMountDisks())(
  "a folder whose disk is full keeps the older backups and nothing half",
  async () => {
    const place = await placeForTest("sqlite");
    const folder = join(place.dataDir, "small");
    onTestFinished(mountSmallDisk(folder, 1));
    const server = await childForTest(place, undefined);
    const olga = await ownerOf(server);
    await olga.call("backups.put", { body: inFolder(folder) });
    const backUp = async () => {
      const { last_success: success, last_failure: failure } = await olga.call("backups.get");
      const before = JSON.stringify([success, failure]);
      await olga.call("backups.start");
      await expect
        .poll(async () => {
          const now = await olga.call("backups.get");
          return !now.is_running && JSON.stringify([now.last_success, now.last_failure]) !== before;
        }, waitOptions)
        .toBe(true);
      return await olga.call("backups.get");
    };
    expect((await backUp()).last_failure).toBeNull();
    const names = async () => (await readdir(folder)).filter((name) => name.endsWith(".age"));
    const good = await names();
    // Random text, which cannot be compressed to fit.
    const { thread_id } = await olga.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    for (let count = 0; count < 4; count++) {
      const text = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)).map((byte) => byte)).toString(
        "base64",
      );
      for (let part = 0; part < 6; part++)
        await olga.call("messages.add", {
          params: { thread_id },
          body: {
            parent_id: null,
            format: "x/1",
            content: { text: `${part}${text.split("").toReversed().join("")}` },
          },
        });
    }
    const failed = await backUp();
    expect(failed).toMatchObject({ failures: 1, last_failure: { problem: "target-full" } });
    expect(await names()).toEqual(good);
    expect(await readdir(join(folder, ".unfinished"))).toEqual([]);
  },
);
