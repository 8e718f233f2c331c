import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bufferOnDisk } from "./s3-buffer.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parlance-bufferOnDisk-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test("returns the bytes with their size, and leaves no file name", async () => {
  const bytes = randomBytes(700_001);
  const seen: string[][] = [];
  async function* watched() {
    yield bytes.subarray(0, 300_000);
    seen.push(await readdir(folder));
    yield bytes.subarray(300_000);
  }
  const all = await bufferOnDisk(watched());
  seen.push(await readdir(folder));
  expect(all.sizeBytes).toBe(bytes.length);
  expect((await buffer(all.bytes)).equals(bytes)).toBe(true);
  await all.remove?.();
  expect(seen).toEqual([[], []]);
});

test("throws the error of the bytes", async () => {
  async function* broken() {
    yield randomBytes(10);
    throw new Error("the line broke");
  }
  await expect(bufferOnDisk(broken())).rejects.toThrow("the line broke");
  expect(await readdir(folder)).toEqual([]);
});

test("reports a full disk, and leaves nothing there", async () => {
  const program = `
    import { bufferOnDisk } from ${JSON.stringify(join(import.meta.dirname, "s3-buffer.ts"))};
    async function* large() { for (let i = 0; i < 40; i++) yield Buffer.alloc(10_000); }
    await bufferOnDisk(large()).catch((error) => console.log(error.name));`;
  // A limit of 100 KiB per file stands for a full disk.
  const line = `ulimit -f 100; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", line, process.execPath, program]);
  expect(stdout).toBe("StorageFullError\n");
  expect(await readdir(folder)).toEqual([]);
});
