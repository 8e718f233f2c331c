import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { alone } from "./lock.mjs";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "parlance-lock-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("one works at a time, and the next begins when it is done", async () => {
  const seen: string[] = [];
  const { promise: may, resolve: goOn } = Promise.withResolvers<void>();
  const first = alone(async () => {
    seen.push("first begins");
    await may;
    seen.push("first ends");
  }, folder);
  const second = alone(async () => seen.push("second"), folder);
  goOn();
  await Promise.all([first, second]);
  expect(seen).toEqual(["first begins", "first ends", "second"]);
  expect(existsSync(join(folder, "preparing.lock"))).toBe(false);
});

test("the lock goes when the work fails", async () => {
  await expect(alone(() => Promise.reject(new Error("the disk is full")), folder)).rejects.toThrow(
    "the disk is full",
  );
  expect(existsSync(join(folder, "preparing.lock"))).toBe(false);
});

test("a lock whose owner has died is taken over at once", async () => {
  // No process has this number: the largest that Linux gives is 4,194,304.
  writeFileSync(join(folder, "preparing.lock"), JSON.stringify({ pid: 99_999_999, host: hostname() }));
  expect(await alone(async () => "done", folder)).toBe("done");
});

test("a lock from another machine is taken over when nobody has touched it for long", async () => {
  const lock = join(folder, "preparing.lock");
  writeFileSync(lock, JSON.stringify({ pid: 1, host: "elsewhere" }));
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  expect(await alone(async () => "done", folder)).toBe("done");
});
