import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gathered } from "./s3-pieces.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parlance-gathered-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test("what comes without a size is given back with it, and no file has its name meanwhile", async () => {
  const bytes = randomBytes(700_001);
  const seen: string[][] = [];
  async function* watched() {
    yield bytes.subarray(0, 300_000);
    seen.push(await readdir(folder));
    yield bytes.subarray(300_000);
  }
  const all = await gathered(watched());
  seen.push(await readdir(folder));
  expect(all.sizeBytes).toBe(bytes.length);
  expect((await buffer(all.bytes)).equals(bytes)).toBe(true);
  await all.remove?.();
  expect(seen).toEqual([[], []]);
});

test("what broke off is told as it was", async () => {
  async function* broken() {
    yield randomBytes(10);
    throw new Error("the line broke");
  }
  await expect(gathered(broken())).rejects.toThrow("the line broke");
  expect(await readdir(folder)).toEqual([]);
});

test("a full disk is called one, and nothing is left there", async () => {
  const program = `
    import { gathered } from ${JSON.stringify(join(import.meta.dirname, "s3-pieces.ts"))};
    async function* large() { for (let i = 0; i < 40; i++) yield Buffer.alloc(10_000); }
    await gathered(large()).catch((error) => console.log(error.name));`;
  // 100 KiB a file: for this program a full disk.
  const line = `ulimit -f 100; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", line, process.execPath, program]);
  expect(stdout).toBe("StorageFullError\n");
  expect(await readdir(folder)).toEqual([]);
});
