import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { inRoot } from "./paths.mjs";
import { say } from "./steps.mjs";

const FOLDER = inRoot(".runner");
const LOCK = inRoot(".runner", "preparing.lock");
const TAKE_OVER = inRoot(".runner", "taking-over.lock");

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
 * @returns {Promise<T>}
 */
export async function alone(work) {
  await take();
  const release = () => rmSync(LOCK, { force: true });
  const touch = setInterval(() => touchLock(), TOUCH_MS);
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    process.removeListener("exit", release);
    release();
  }
}

async function take() {
  mkdirSync(FOLDER, { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, host: hostname() });
  for (let waited = 0; !created(LOCK, mine); waited += POLL_MS) {
    if (waited === 0) say("Another start is preparing this folder; waiting for it ...");
    if (isAbandoned()) takeOver();
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Two may find the same lock abandoned, and the slower must not remove the lock that the quicker took. */
function takeOver() {
  if (!created(TAKE_OVER, "")) {
    if (ageMs(TAKE_OVER) > DEAD_AFTER_MS) rmSync(TAKE_OVER, { force: true });
    return;
  }
  try {
    if (isAbandoned()) rmSync(LOCK, { force: true });
  } finally {
    rmSync(TAKE_OVER, { force: true });
  }
}

function isAbandoned() {
  let owner;
  try {
    owner = JSON.parse(readFileSync(LOCK, "utf8"));
  } catch {
    // Gone again, or just being written.
    return ageMs(LOCK) > DEAD_AFTER_MS;
  }
  if (ageMs(LOCK) > DEAD_AFTER_MS) return true;
  return owner.host === hostname() && !isAlive(owner.pid);
}

/** @param {number} pid */
function isAlive(pid) {
  if (pid === process.pid) return false;
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

function touchLock() {
  try {
    utimesSync(LOCK, new Date(), new Date());
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
