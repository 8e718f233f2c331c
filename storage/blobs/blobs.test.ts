import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, openSync } from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveLocalhostNames, freshStore, storesAndUrlStyles } from "#tests/support/servers/stores.ts";
import { BlobMissingError, type Blobs } from "./blobs.ts";
import { deleteUnfinished } from "./disk.ts";
import { partBytes } from "./s3-multipart.ts";

async function* pieces(...all: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield Buffer.from(piece as never);
}

describe.for(storesAndUrlStyles)("a blob store (%s)", (name) => {
  resolveLocalhostNames();
  let blobs: Blobs;
  let store: Awaited<ReturnType<typeof freshStore>>;
  beforeAll(async () => {
    store = await freshStore(name);
    blobs = store.blobs;
  });
  afterAll(async () => await store.remove());

  const readAll = async (key: string) => await buffer(await blobs.read(key));
  const keys = async (prefix: string) =>
    (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key).toSorted();

  test("returns the stored bytes, or a range of them", async () => {
    const bytes = randomBytes(700_001);
    const sent = pieces(bytes.subarray(0, 10), bytes.subarray(10, 500_000), bytes.subarray(500_000));
    expect(await blobs.put("kept/aa/one", sent, {})).toBe(bytes.length);
    expect(await blobs.size("kept/aa/one")).toBe(bytes.length);
    expect((await readAll("kept/aa/one")).equals(bytes)).toBe(true);
    const part = await blobs.read("kept/aa/one", { range: { start: 9, end: 400_009 } });
    expect((await buffer(part)).equals(bytes.subarray(9, 400_010))).toBe(true);
  });

  test("can be closed twice without closing another file", async () => {
    const other = await freshStore(name);
    other.blobs.close();
    const opened = openSync(import.meta.filename, "r");
    other.blobs.close();
    expect(fstatSync(opened).isFile()).toBe(true);
    closeSync(opened);
    await other.remove();
  });

  test("stores an empty blob", async () => {
    expect(await blobs.put("kept/aa/nothing", pieces(), {})).toBe(0);
    expect(await blobs.size("kept/aa/nothing")).toBe(0);
    expect((await readAll("kept/aa/nothing")).length).toBe(0);
  });

  test("frees the memory of chunks only if the caller allows it", async () => {
    for (const freeChunks of [true, false]) {
      const key = `kept/aa/freed-${freeChunks}`;
      // The rest of a larger buffer may be in use.
      const larger = randomBytes(50_000);
      const given = [
        randomBytes(3_000_000),
        larger.subarray(10, 20),
        Buffer.from("small"),
        randomBytes(200_000),
      ];
      const bytes = Buffer.concat(given);
      expect(await blobs.put(key, pieces(...given), { freeChunks })).toBe(bytes.length);
      expect((await readAll(key)).equals(bytes)).toBe(true);
      expect(larger.length).toBe(50_000);
      if (!freeChunks) expect(Buffer.concat(given).equals(bytes)).toBe(true);
    }
  });

  test("accepts a known size", async () => {
    expect(await blobs.put("kept/aa/known", pieces("gar", "den"), { sizeBytes: 6 })).toBe(6);
    expect((await readAll("kept/aa/known")).toString()).toBe("garden");
  });

  test.each([5, partBytes, 2 * partBytes + 7])("stores %i bytes of unknown number in parts", async (size) => {
    const bytes = randomBytes(size);
    const sent = pieces(bytes.subarray(0, size / 2), bytes.subarray(size / 2));
    expect(await blobs.put("parts/aa/one", sent, { inParts: true })).toBe(size);
    expect((await readAll("parts/aa/one")).equals(bytes)).toBe(true);
    await blobs.remove("parts/aa/one");
  });

  test("keeps nothing of parts whose end never comes", async () => {
    async function* broken() {
      yield randomBytes(partBytes + 10);
      throw new Error("the disk broke");
    }
    await expect(blobs.put("parts/aa/broken", broken(), { inParts: true })).rejects.toThrow("the disk broke");
    expect(await keys("parts/")).toEqual([]);
    // Nothing is left to end either.
    await blobs.removeUnfinished("parts/");
    expect(await keys("parts/")).toEqual([]);
  });

  test("reports missing blobs, and deletes them without an error", async () => {
    expect(await blobs.size("kept/aa/absent")).toBeUndefined();
    await expect(blobs.read("kept/aa/absent")).rejects.toThrow(BlobMissingError);
    await blobs.remove("kept/aa/absent");
    await blobs.put("kept/aa/going", pieces("x"), {});
    await blobs.remove("kept/aa/going");
    await expect(blobs.read("kept/aa/going")).rejects.toThrow(BlobMissingError);
  });

  test.each([undefined, 100_000])(
    "keeps nothing of an upload that fails in the middle (%s declared)",
    async (sizeBytes) => {
      async function* broken() {
        yield randomBytes(50_000);
        throw new Error("the connection broke");
      }
      const known = sizeBytes === undefined ? {} : { sizeBytes };
      await expect(blobs.put("kept/aa/broken", broken(), known)).rejects.toThrow();
      expect(await blobs.size("kept/aa/broken")).toBeUndefined();
    },
  );

  test("keeps nothing of an aborted upload", async () => {
    const gone = new AbortController();
    async function* slow() {
      yield randomBytes(10);
      gone.abort(new Error("gave up"));
      yield randomBytes(10);
    }
    await expect(blobs.put("kept/aa/slow", slow(), { signal: gone.signal })).rejects.toThrow("gave up");
    expect(await blobs.size("kept/aa/slow")).toBeUndefined();
  });

  test.each([undefined, 20])(
    "does not wait for more bytes after an upload is aborted (%s declared)",
    async (declared) => {
      const gone = new AbortController();
      async function* silent() {
        yield randomBytes(10);
        setImmediate(() => gone.abort(new Error("gave up")));
        await new Promise(() => {});
      }
      const known = declared === undefined ? {} : { sizeBytes: declared };
      const put = blobs.put("kept/aa/silent", silent(), { signal: gone.signal, ...known });
      await expect(put).rejects.toThrow("gave up");
      expect(await blobs.size("kept/aa/silent")).toBeUndefined();
    },
  );

  test("lists the blobs with a prefix", async () => {
    for (const key of ["incoming/1", "incoming/2", "other/3"]) await blobs.put(key, pieces(key), {});
    expect(await keys("incoming/")).toEqual(["incoming/1", "incoming/2"]);
    expect(await keys("incoming/1")).toEqual(["incoming/1"]);
    expect(await keys("inc")).toEqual(["incoming/1", "incoming/2"]);
    expect(await keys("")).toEqual(expect.arrayContaining(["incoming/1", "other/3"]));
    expect(await keys("absent/")).toEqual([]);
    const [first] = await Array.fromAsync(blobs.list("other/"));
    expect(first).toMatchObject({ key: "other/3", sizeBytes: 7 });
    expect(Math.abs(first!.changedAtMs - Date.now())).toBeLessThan(60_000);
  });

  test.each([
    "../x",
    "a/../b",
    "/a",
    "a/",
    "a//b",
    "a\\b",
    "a\0",
    "A",
    "",
    ".unfinished/x",
    "a/.",
    "a b",
    "%2e",
  ])("refuses the key %j", async (key) => {
    await expect(blobs.put(key, pieces("x"), {})).rejects.toThrow(TypeError);
    await expect(blobs.read(key)).rejects.toThrow(TypeError);
    await expect(blobs.remove(key)).rejects.toThrow(TypeError);
  });
});

describe("a folder of blobs", () => {
  test("shows a blob only when it is complete", async () => {
    const { blobs, folder, remove } = await freshStore("disk");
    let seen: string[] = [];
    async function* watched() {
      yield Buffer.from("first half");
      seen = (await readdir(folder, { recursive: true })).filter((name) => name.includes("whole"));
      expect(await blobs.size("kept/whole")).toBeUndefined();
      yield Buffer.from("second half");
    }
    await blobs.put("kept/whole", watched(), {});
    expect(seen).toEqual([]);
    expect(await blobs.size("kept/whole")).toBe(21);
    await remove();
  });

  test("lets a reader finish after the blob was deleted", async () => {
    const { blobs, remove } = await freshStore("disk");
    const bytes = randomBytes(2_000_000);
    await blobs.put("kept/going", pieces(bytes), {});
    const reader = await blobs.read("kept/going");
    await blobs.remove("kept/going");
    expect((await buffer(reader)).equals(bytes)).toBe(true);
    await remove();
  });

  test("deletes empty folders of single things, and keeps shared ones", async () => {
    const { blobs, folder, remove } = await freshStore("disk");
    for (const key of ["pages/ab/x/1", "pages/ab/x/2", "kept/ab/one", "top/one"])
      await blobs.put(key, pieces(key), {});
    await blobs.remove("pages/ab/x/1");
    expect(await readdir(join(folder, "pages/ab/x"))).toEqual(["2"]);
    for (const key of ["pages/ab/x/2", "kept/ab/one", "top/one"]) await blobs.remove(key);
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
      ".unfinished",
      "kept",
      "kept/ab",
      "pages",
      "pages/ab",
      "top",
    ]);
    await remove();
  });

  test("stores blobs in a folder that is deleted repeatedly", async () => {
    const { blobs, folder, remove } = await freshStore("disk");
    const createAndRemove = async (key: string) => {
      for (let round = 0; round < 30; round++) {
        await blobs.put(key, pieces(key), {});
        expect(await blobs.size(key)).toBe(key.length);
        for await (const found of blobs.list("pages/ab/x/")) expect(found.key).toMatch(/^pages\/ab\/x\/./);
        await blobs.remove(key);
      }
    };
    await Promise.all(["1", "2", "3", "4"].map(async (name) => await createAndRemove(`pages/ab/x/${name}`)));
    expect(await readdir(join(folder, "pages/ab"))).toEqual([]);
    await remove();
  });

  test("deletes incomplete files of crashed processes, and nothing newer", async () => {
    const { folder, remove } = await freshStore("disk");
    const unfinished = join(folder, ".unfinished");
    await mkdir(unfinished, { recursive: true });
    for (const name of ["old", "new"]) await writeFile(join(unfinished, name), "half");
    await utimes(join(unfinished, "old"), 1_000, 1_000);
    expect(await deleteUnfinished(folder, Date.now() - 3_600_000)).toBe(1);
    expect(await readdir(unfinished)).toEqual(["new"]);
    await remove();
  });

  test("reports a full disk, and keeps nothing of the file", async () => {
    const { folder, remove } = await freshStore("disk");
    const program = `
      import { openDiskBlobs } from ${JSON.stringify(join(import.meta.dirname, "disk.ts"))};
      async function* large() { for (let i = 0; i < 40; i++) yield Buffer.alloc(10_000); }
      const blobs = await openDiskBlobs({ folder: ${JSON.stringify(folder)} });
      await blobs
        .put("kept/large", large(), {})
        .catch((error) => console.log(error.name));`;
    // A limit of 100 KiB per file stands for a full disk.
    const line = `ulimit -f 100; exec "$0" --input-type=module -e "$1"`;
    const { stdout } = await promisify(execFile)("bash", ["-c", line, process.execPath, program]);
    expect(stdout).toBe("StorageFullError\n");
    expect(await readdir(folder, { recursive: true })).toEqual([".unfinished"]);
    await remove();
  });
});
