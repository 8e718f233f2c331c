import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { openBlobs } from "#storage/blobs/open.ts";
import { attach, gardenPng, open, requestUpload, put } from "../support/data/files.ts";
import { runCommand } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { startS3Proxy } from "../support/s3/s3-proxy.ts";
import { startTestServer, type EngineName, type ServerPlace } from "../support/servers/server.ts";
import { placeForTest } from "../support/test-scope.ts";
import { s3LocationOf, storeSettings, stores } from "../support/servers/stores.ts";

/** Runs `work` with a server at a place, and stops it. */
async function served<T>(
  engine: EngineName,
  where: ServerPlace,
  settings: Record<string, string>,
  work: (server: Awaited<ReturnType<typeof startTestServer>>) => Promise<T>,
): Promise<T> {
  const server = await startTestServer({ engine, place: where, settings });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

const keptIn = async (where: ServerPlace, folder = "kept"): Promise<string[]> =>
  (await readdir(join(where.dataDir, "files", folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Creates an old file in the store's folder that no row refers to. */
async function createOrphan(where: ServerPlace, key: string): Promise<void> {
  const path = join(where.dataDir, "files", key);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, "x");
  await utimes(path, 1_000, 1_000);
}

/** Uploads a picture. Returns its id, and the status and bytes of its thumbnail. */
async function picture(server: Awaited<ReturnType<typeof startTestServer>>) {
  const ada = server.inWorkspace("org_ada");
  const { file_id } = await attach(ada, "garden.png", gardenPng);
  return { id: file_id, ...(await thumbnail(server, file_id)) };
}

async function thumbnail(server: Awaited<ReturnType<typeof startTestServer>>, id: string) {
  const { url, headers } = server.inWorkspace("org_ada");
  const { status, text } = await open(`${url}/v1/files/${id}/thumbnail`, headers);
  return { status, text };
}

/** The URL of the same file at the current port of the server. */
const at = (url: string, now: string) => now + new URL(url).pathname;

describe.each(engines)("files and the operator (%s)", (engine) => {
  test("are in a backup, and a restore brings them back", async () => {
    const [from, to] = [await placeForTest(engine), await placeForTest(engine)];
    const [large, small] = [randomBytes(1_000_003), Buffer.from("garden")];
    const urls = await served(engine, from, {}, async (server) => {
      const ada = server.inWorkspace("org_ada");
      const files = [
        await attach(ada, "large.bin", large),
        await attach(ada, "a.txt", small),
        await attach(ada, "b", ""),
      ];
      return files.map(({ publicUrl }) => publicUrl);
    });
    const path = join(from.dataDir, "all.parlance");
    expect((await runCommand(from, ["backup", path])).out).toMatch(/, 3 files\.$/m);
    expect((await runCommand(from, ["backup", "--verify", path])).out).toContain("is complete");
    const restored = await runCommand(to, ["restore", path]);
    expect(restored.code, restored.err).toBe(0);
    await served(engine, to, {}, async ({ url }) => {
      expect((await open(at(urls[0]!, url))).bytes.equals(large)).toBe(true);
      expect((await open(at(urls[1]!, url))).text).toBe("garden");
      expect((await open(at(urls[2]!, url))).status).toBe(200);
    });
    const bare = join(from.dataDir, "bare.parlance");
    expect((await runCommand(from, ["backup", "--without-files", bare])).out).not.toContain("files");
  });

  test("a backup reports changed files, and omits truncated ones", async () => {
    const where = await placeForTest(engine);
    await served(engine, where, {}, async (server) => {
      const ada = server.inWorkspace("org_ada");
      for (const name of ["cut", "changed", "well"]) await attach(ada, name, randomBytes(500));
    });
    const path = join(where.dataDir, "all.parlance");
    expect((await runCommand(where, ["backup", path])).code).toBe(0);
    const [cut, changed] = await keptIn(where);
    await truncate(cut!, 100);
    await writeFile(changed!, randomBytes(500));
    const { code, err } = await runCommand(where, ["backup", join(where.dataDir, "later.parlance")]);
    expect(code).toBe(1);
    for (const path of [cut!, changed!]) expect(err).toContain(path.split(`/files/`)[1]);
    const whole = await runCommand(where, ["backup", "--verify", join(where.dataDir, "later.parlance")]);
    expect(whole.out).toMatch(/, 2 files\.$/m);
  });

  test("a backup omits thumbnails, which are created again", async () => {
    const [from, to] = [await placeForTest(engine), await placeForTest(engine)];
    const made = await served(engine, from, {}, picture);
    expect(made.status).toBe(200);
    const path = join(from.dataDir, "all.parlance");
    expect((await runCommand(from, ["backup", path])).out).toMatch(/, 1 files\.$/m);
    const restored = await runCommand(to, ["restore", path]);
    expect(restored.code, restored.err).toBe(0);
    expect((await runCommand(to, ["doctor"])).code).toBe(0);
    const again = await served(engine, to, {}, async (server) => await thumbnail(server, made.id));
    expect(again).toEqual({ status: made.status, text: made.text });
  });

  test("the doctor ignores missing thumbnails and old pages, and deletes thumbnails without a file", async () => {
    const where = await placeForTest(engine);
    const { id } = await served(engine, where, {}, picture);
    expect((await runCommand(where, ["doctor"])).code).toBe(0);
    const [path] = await keptIn(where, "thumbnails");
    await rm(path!);
    await createOrphan(where, `pages/aa/${"a".repeat(40)}/page-1.png`);
    const { code, out } = await runCommand(where, ["doctor"]);
    expect([code, out]).toEqual([0, expect.stringContaining("1 × old PDF pages are still cached") as string]);
    await createOrphan(where, "thumbnails/zz/nobody.1");
    const found = await runCommand(where, ["doctor"]);
    expect([found.code, found.out]).toEqual([
      1,
      expect.stringContaining("1 × stored bytes belong to no file") as string,
    ]);
    expect((await runCommand(where, ["doctor", "--repair"])).err).toContain("bytes without a file: 1");
    expect((await runCommand(where, ["doctor"])).code).toBe(0);
    expect((await served(engine, where, {}, async (server) => await thumbnail(server, id))).status).toBe(200);
    expect(await keptIn(where, "thumbnails")).toContain(path);
  });

  test("the doctor reports missing, truncated and unreferenced files, and deletes the last", async () => {
    const where = await placeForTest(engine);
    await served(engine, where, {}, async (server) => {
      const ada = server.inWorkspace("org_ada");
      for (const name of ["gone", "cut", "well"]) await attach(ada, name, randomBytes(500));
    });
    expect((await runCommand(where, ["doctor"])).code).toBe(0);
    const [gone, cut] = await keptIn(where);
    await rm(gone!);
    await truncate(cut!, 100);
    await createOrphan(where, "kept/zz/nobody.1");
    const { code, out } = await runCommand(where, ["doctor", "--json"]);
    const { faults } = JSON.parse(out) as { faults: { check: string; about: string; ids: string[] }[] };
    expect(code).toBe(1);
    expect(faults.map(({ check, about, ids }) => `${check}: ${about}: ${ids.length}`)).toEqual([
      "files: stored files are missing: 1",
      "files: stored files have the wrong size: 1",
      "files: stored bytes belong to no file: 1",
    ]);
    expect(faults[2]!.ids).toEqual(["kept/zz/nobody.1"]);
    expect((await runCommand(where, ["doctor", "--repair"])).err).toContain("bytes without a file: 1");
    expect((await runCommand(where, ["doctor"])).out).not.toContain("belong to no file");
  });
});

// 60 s: two servers, a bucket and several commands.
describe.runIf(stores.includes("s3"))("files that move", { timeout: 60_000 }, () => {
  // The first request for a bucket waits until the run's S3 server has started.
  beforeAll(async () => void (await storeSettings("s3")), 90_000);

  test("are moved to a bucket and back while the server runs, even after an interruption", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    const [first, second] = [randomBytes(300_000), randomBytes(10)];
    const [one, two] = await served("sqlite", where, {}, async (server) => {
      const ada = server.inWorkspace("org_ada");
      const urls = [await attach(ada, "one", first), await attach(ada, "two", second)];
      const moved = await runCommand(where, ["move-blobs", "--to", "s3"], bucket);
      expect(moved).toMatchObject({ code: 0, err: "" });
      expect(moved.out).toContain("2 copied, 0 already there, 0 deleted");
      urls.push(await attach(ada, "three", "later"));
      expect((await open(urls[0]!.publicUrl)).status).toBe(200);
      return urls.map(({ publicUrl }) => publicUrl);
    });
    const rest = await runCommand(where, ["move-blobs", "--to", "s3", "--remove"], bucket);
    expect(rest.out).toContain("1 copied, 2 already there, 3 deleted");
    expect(await keptIn(where)).toEqual([]);
    await served("sqlite", where, bucket, async ({ url }) => {
      expect((await open(at(one!, url))).bytes.equals(first)).toBe(true);
      expect((await open(at(two!, url))).bytes.equals(second)).toBe(true);
    });
    expect((await runCommand(where, ["doctor"], bucket)).code).toBe(0);
    expect((await runCommand(where, ["move-blobs", "--to", "disk", "--remove"], bucket)).out).toContain(
      "3 copied",
    );
    await served("sqlite", where, {}, async ({ url }) => {
      expect((await open(at(one!, url))).bytes.equals(first)).toBe(true);
    });
  });

  test("are moved with their thumbnails, and leave no pages of PDFs", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    const made = await served("sqlite", where, {}, async (server) => {
      await attach(server.inWorkspace("org_ada"), "notes.txt", "x");
      return await picture(server);
    });
    const page = `pages/aa/${"a".repeat(40)}/page-1.png`;
    await createOrphan(where, page);
    const copied = await runCommand(where, ["move-blobs", "--to", "s3"], bucket);
    expect(copied.out).toContain("3 copied, 0 already there, 0 deleted");
    expect(await keptIn(where, "pages")).toHaveLength(1);
    const moved = await runCommand(where, ["move-blobs", "--to", "s3", "--remove"], bucket);
    expect(moved.out).toContain("0 copied, 3 already there, 4 deleted");
    for (const folder of ["kept", "thumbnails", "pages"]) expect(await keptIn(where, folder)).toEqual([]);
    const again = await served("sqlite", where, bucket, async (server) => await thumbnail(server, made.id));
    expect(again).toEqual({ status: 200, text: made.text });
    const blobs = await openBlobs({ dataDir: where.dataDir, s3: s3LocationOf(bucket) });
    const [{ key } = { key: "" }] = await Array.fromAsync(blobs.list("thumbnails/"));
    await blobs.remove(key);
    expect(await runCommand(where, ["move-blobs", "--to", "disk"], bucket)).toMatchObject({
      code: 0,
      err: "",
    });
  });

  test.each(engines)(
    "leave nothing in the old store of what was deleted once it was copied (%s)",
    async (engine) => {
      const where = await placeForTest(engine);
      const bucket = await storeSettings("s3");
      const made = await served(engine, where, {}, async (server) => {
        await attach(server.inWorkspace("org_ada"), "stays", "x");
        return await picture(server);
      });
      expect((await runCommand(where, ["move-blobs", "--to", "s3"], bucket)).out).toContain("3 copied");
      await served(engine, where, bucket, async (server) => {
        await server.inWorkspace("org_ada").call("files.remove", { params: { file_id: made.id } });
      });
      const moved = await runCommand(where, ["move-blobs", "--to", "s3", "--remove"], bucket);
      expect(moved).toMatchObject({ code: 0, err: "" });
      expect(moved.out).toContain(
        "0 copied, 1 already there, 1 deleted from the other store, and 2 more without a file.",
      );
      for (const folder of ["kept", "thumbnails"]) expect(await keptIn(where, folder)).toEqual([]);
    },
  );

  test("leave incomplete uploads and foreign objects in the old store", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    await served("sqlite", where, {}, async () => {});
    const [coming, broken, strange] = ["kept/aa/coming.1", "kept/aa/broken.1", "kept/aa/Strange"];
    const [half, unfinished] = [".unfinished/half", ".unfinished/new"];
    for (const key of [coming, broken, strange, half, unfinished]) await createOrphan(where, key);
    for (const key of [coming, unfinished])
      await utimes(join(where.dataDir, "files", key), new Date(), new Date());
    await rawSql(where, async (run) => {
      for (const key of [coming, broken])
        await run(`insert into blob_removals (key, due_at) values ('${key}', ${Date.now() + 3_600_000})`);
    });
    const moved = await runCommand(where, ["move-blobs", "--to", "s3", "--remove"], bucket);
    expect(moved.out).toContain("0 deleted from the other store, and 2 more without a file");
    expect(await keptIn(where, ".unfinished")).toEqual([expect.stringContaining(unfinished)]);
    const left = (await keptIn(where)).map((path) => path.split("/files/")[1]);
    expect(new Set(left)).toEqual(new Set([strange, coming]));
  });

  test("are not copied if they have changed", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    await served("sqlite", where, {}, async (server) => {
      await attach(server.inWorkspace("org_ada"), "one", "garden");
    });
    const [path] = await keptIn(where);
    await writeFile(path!, "gorden");
    const { code, err } = await runCommand(where, ["move-blobs", "--to", "s3", "--remove"], bucket);
    expect([code, err]).toEqual([1, expect.stringContaining("is damaged and was not copied") as string]);
    expect(await keptIn(where)).toHaveLength(1);
  });

  test("are deleted from the old store only if the new one has the same bytes", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    const url = await served("sqlite", where, {}, async (server) => {
      return (await attach(server.inWorkspace("org_ada"), "one", "garden")).publicUrl;
    });
    expect((await runCommand(where, ["move-blobs", "--to", "s3"], bucket)).code).toBe(0);
    const blobs = await openBlobs({ dataDir: where.dataDir, s3: s3LocationOf(bucket) });
    const [{ key } = { key: "" }] = await Array.fromAsync(blobs.list("kept/"));
    await blobs.put(key, Readable.from([Buffer.from("gorden")]), { sizeBytes: 6 });
    const moved = await runCommand(where, ["move-blobs", "--to", "s3", "--remove"], bucket);
    expect(moved.out).toContain("1 copied, 0 already there, 1 deleted");
    await served("sqlite", where, bucket, async (server) => {
      expect((await open(at(url, server.url))).text).toBe("garden");
    });
  });

  test("are moved with uploads that were sent to the bucket and not read yet", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    const url = await served("sqlite", where, bucket, async (server) => {
      const ada = server.inWorkspace("org_ada");
      const { signedUrl, publicUrl } = await requestUpload(ada, { filename: "one", content_length: 6 });
      expect((await put(signedUrl, "garden")).status).toBe(200);
      return publicUrl;
    });
    const moved = await runCommand(where, ["move-blobs", "--to", "disk", "--remove"], bucket);
    expect(moved.out).toContain("1 copied, 0 already there, 1 deleted");
    await served("sqlite", where, {}, async (server) => {
      expect((await open(at(url, server.url))).text).toBe("garden");
    });
    expect(await keptIn(where, "incoming")).toEqual([]);
  });

  test("need a bucket that allows uploads from pages: the doctor and the log report if it does not", async () => {
    const where = await placeForTest("sqlite");
    const bucket = await storeSettings("s3");
    const proxy = await startS3Proxy(bucket.S3_ENDPOINT!);
    proxy.inject({ status: 403 }, (method) => method === "OPTIONS");
    const settings = { ...bucket, S3_ENDPOINT: proxy.endpoint, PUBLIC_URL: "https://chat.example.com" };
    const said = "does not allow browsers to upload files from https://chat.example.com";
    await served("sqlite", where, settings, async ({ log }) => {
      await expect.poll(() => log.text()).toContain(said);
    });
    const { code, out } = await runCommand(where, ["doctor"], settings);
    expect([code, out]).toEqual([1, expect.stringContaining(said) as string]);
    proxy.inject();
    expect((await runCommand(where, ["doctor"], settings)).out).not.toContain(said);
    await proxy.close();
  });

  test("need the settings of a bucket", async () => {
    const where = await placeForTest("sqlite");
    expect((await runCommand(where, ["move-blobs", "--to", "s3"])).err).toContain("S3_ENDPOINT");
  });
});
