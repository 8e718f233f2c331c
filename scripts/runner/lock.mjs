import { mkdirSync, rmSync, statSync, utimes, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, inRoot } from "./files.mjs";

// The holder renews the lock in each second. An older one was left by a killed process.
const abandonedAfterMs = 30_000;
const pollMs = 200;

/**
 * Runs the work, one start in this clone at a time: two would delete each other's half-installed packages.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [folder] of the lock file
 */
export async function withLock(work, folder = inRoot(".runner")) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, "preparing.lock");
  for (let waitedMs = 0; !tryCreate(lock); waitedMs += pollMs) {
    if (waitedMs === 0) process.stderr.write("Another start is preparing this folder; waiting for it ...\n");
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const renew = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), 1_000);
  const release = () => rmSync(lock, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(renew);
    process.removeListener("exit", release);
    release();
  }
}

/** @param {string} lock */
function tryCreate(lock) {
  try {
    const writtenMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - writtenMs > abandonedAfterMs) rmSync(lock, { force: true });
    writeFileSync(lock, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
