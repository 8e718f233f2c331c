import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRoot } from "./paths.mjs";

/**
 * A short fingerprint of files and folders by their content, so that a checkout which only touches times
 * changes nothing. Names are relative to the clone; what does not exist counts as empty.
 *
 * @param {string[]} names
 * @param {string[]} facts other things the result depends on
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
  const path = inRoot(name);
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    const content = readOrNothing(path);
    hash.update(`${name}\0${content.length}\0`).update(content);
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!isTest(entry.name)) addTo(hash, `${name}/${entry.name}`);
  }
}

/** @param {string} name */
function isTest(name) {
  return /\.test\.tsx?$/.test(name);
}

/** @param {string} path */
function readOrNothing(path) {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** @param {...string} names */
export function readStamp(...names) {
  return readOrNothing(inRoot(...names)).toString();
}

/**
 * @param {string} digest
 * @param {...string} names
 */
export function writeStamp(digest, ...names) {
  const path = join(inRoot(...names));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, digest);
}
