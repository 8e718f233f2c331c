import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the clone, without a slash at the end. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @type {NodeJS.Signals[]} */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** @param {...string} names */
export const inRoot = (...names) => join(root, ...names);

/**
 * A hash of files and folders by their content, so that a change of their times alone does not change it. Tests are
 * left out; missing files count as empty.
 *
 * @param {string[]} names relative to the clone
 * @param {string[]} facts other things that the result depends on
 */
export function digestOf(names, facts = []) {
  const hash = createHash("sha256");
  for (const fact of facts) hash.update(`${fact}\0`);
  for (const name of names) addTo(hash, name);
  return hash.digest("hex").slice(0, 32);
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} name
 */
function addTo(hash, name) {
  const entries = orUndefined(() => readdirSync(inRoot(name)));
  if (entries) {
    for (const entry of entries.sort()) if (!/\.test\.tsx?$/.test(entry)) addTo(hash, `${name}/${entry}`);
  } else {
    const content = orUndefined(() => readFileSync(inRoot(name))) ?? "";
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
}

/** Whether the stamp file holds this digest.
 * @param {string} stamp
 * @param {string} digest */
export function isStamped(stamp, digest) {
  return orUndefined(() => readFileSync(inRoot(stamp), "utf8")) === digest;
}

/**
 * @param {string} stamp
 * @param {string} digest
 */
export function writeStamp(stamp, digest) {
  mkdirSync(dirname(inRoot(stamp)), { recursive: true });
  writeFileSync(inRoot(stamp), digest);
}

/** The code of a system error, such as ENOENT.
 * @param {unknown} error */
export const codeOf = (error) => (error instanceof Error && "code" in error ? error.code : undefined);

/**
 * @template T
 * @param {() => T} read
 * @returns {T | undefined}
 */
function orUndefined(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
