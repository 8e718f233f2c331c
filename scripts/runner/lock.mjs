import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { inRoot } from "./paths.mjs";
import { say } from "./steps.mjs";

// The owner touches its lock every 2 s. After 15 s without a touch it is taken to have died.
const TOUCH_MS = 2_000;
const DEAD_AFTER_MS = 15_000;
const POLL_MS = 200;

/**
 * Does the work while no other start in this clone does the same, and waits for one that does. Two starts
 * at once would otherwise delete each other's half-installed packages.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [folder] where the lock is laid down
 * @returns {Promise<T>}
 */
export async function alone(work, folder = inRoot(".runner")) {
  const lock = join(folder, "preparing.lock");
  await take(folder, lock);
  const release = () => rmSync(lock, { force: true });
  const touch = setInterval(() => touchLock(lock), TOUCH_MS);
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    process.removeListener("exit", release);
    release();
  }
}

/**
 * @param {string} folder
 * @param {string} lock
 */
async function take(folder, lock) {
  mkdirSync(folder, { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, host: hostname() });
  for (let waited = 0; !created(lock, mine); waited += POLL_MS) {
    if (isAbandoned(lock)) {
      takeOver(lock, join(folder, "taking-over.lock"));
      continue;
    }
    if (waited === 0) say("Another start is preparing this folder; waiting for it ...");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Two may find the same lock abandoned, and the slower must not remove the lock that the quicker took.
 *
 * @param {string} lock
 * @param {string} right the right to take it over, which is a lock as well
 */
function takeOver(lock, right) {
  if (!created(right, "")) {
    if (ageMs(right) > DEAD_AFTER_MS) rmSync(right, { force: true });
    return;
  }
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(right, { force: true });
  }
}

/** @param {string} lock */
function isAbandoned(lock) {
  if (ageMs(lock) > DEAD_AFTER_MS) return true;
  try {
    const owner = JSON.parse(readFileSync(lock, "utf8"));
    return owner.host === hostname() && !isAlive(owner.pid);
  } catch {
    // Gone again, or just being written.
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Alive, and somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * @param {string} path
 * @param {string} content
 */
function created(path, content) {
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} lock */
function touchLock(lock) {
  try {
    utimesSync(lock, new Date(), new Date());
  } catch {
    // Taken over while this process was asleep for longer than the limit. The work goes on; it is only
    // done twice.
  }
}

/** @param {string} path */
function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
