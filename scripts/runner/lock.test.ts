import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.mjs";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "parlance-lock-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const lock = () => join(folder, "preparing.lock");

test("runs one piece of work at a time", async () => {
  const seen: string[] = [];
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const first = withLock(async () => {
    seen.push("first begins");
    await mayEnd;
    seen.push("first ends");
  }, folder);
  const second = withLock(async () => seen.push("second"), folder);
  end();
  await Promise.all([first, second]);
  expect(seen).toEqual(["first begins", "first ends", "second"]);
  expect(existsSync(lock())).toBe(false);
});

test("releases the lock when the work fails", async () => {
  await expect(withLock(() => Promise.reject(new Error("the disk is full")), folder)).rejects.toThrow(
    "the disk is full",
  );
  expect(existsSync(lock())).toBe(false);
});

test("takes over the lock of a process that has died", async () => {
  // No process has this id: the largest on Linux is 4,194,304.
  writeFileSync(lock(), "99999999");
  expect(await withLock(async () => "done", folder)).toBe("done");
});

test("takes over an old lock, whatever process it names", async () => {
  writeFileSync(lock(), String(process.pid));
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(lock(), longAgo, longAgo);
  expect(await withLock(async () => "done", folder)).toBe("done");
});
