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

test("takes over the lock of a start that was killed", async () => {
  writeFileSync(lock(), "");
  const before = new Date(Date.now() - 31_000);
  utimesSync(lock(), before, before);
  expect(await withLock(async () => "done", folder)).toBe("done");
});
