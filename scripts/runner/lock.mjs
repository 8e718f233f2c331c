import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, inRoot } from "./files.mjs";

// An older lock was left by a process of another machine or container, whose id means nothing here.
const abandonedAfterMs = 15 * 60_000;
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
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    else {
      if (waitedMs === 0)
        process.stderr.write("Another start is preparing this folder; waiting for it ...\n");
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
  const release = () => rmSync(lock, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}

/** @param {string} lock */
function tryCreate(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} lock */
function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > abandonedAfterMs) return true;
    process.kill(Number(readFileSync(lock, "utf8")), 0);
    return false;
  } catch (error) {
    // Otherwise it was released meanwhile, or the process belongs to another user.
    return codeOf(error) === "ESRCH";
  }
}
