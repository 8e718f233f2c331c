import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { digestOf, inRoot, isStamped, writeStamp } from "./files.mjs";
import { runNpm } from "./packages.mjs";

// The first Node that runs TypeScript directly, has SQLite without a warning, and argon2 for passwords.
const oldest = { major: 24, minor: 7 };

const stamp = "tools/node/node_modules/.stamp";

/** The path of the Node that runs everything, or undefined when it must be fetched first. */
export function chosenNode() {
  if (isRunningNewEnough()) return process.execPath;
  return isStamped(stamp, fetchedDigest()) ? fetchedBinary() : undefined;
}

export function fetchNodeTitle() {
  return (
    `Fetching Node ${fetchedVersion()}, because Parlance needs ${oldest.major}.${oldest.minor} or newer ` +
    `and this is ${process.versions.node} (about 10 s, once)`
  );
}

/** Installs the Node of tools/node from the package registry. The Node on the machine is not changed. */
export async function fetchNode() {
  await runNpm(process.execPath, ["ci"], inRoot("tools", "node"));
  const binary = fetchedBinary();
  if (!binary || spawnSync(binary, ["--version"]).status !== 0) {
    // npm leaves out an optional package that it cannot download or that does not exist, and reports success.
    throw new Error(
      `npm has no Node ${fetchedVersion()} for ${process.platform} on ${process.arch}, or cannot download it. Check the ` +
        `connection (npm ping) and run this again, or install Node ${oldest.major}.${oldest.minor} or newer yourself.`,
    );
  }
  writeStamp(stamp, fetchedDigest());
}

function fetchedBinary() {
  const folder = inRoot("tools", "node", "node_modules");
  const file = process.platform === "win32" ? "node.exe" : "node";
  // npm installs one package, that of this platform.
  const packages = existsSync(folder) ? readdirSync(folder) : [];
  return packages.map((name) => join(folder, name, "bin", file)).find((path) => existsSync(path));
}

const fetchedDigest = () => digestOf(["tools/node/package-lock.json"], [process.platform, process.arch]);

/** @returns {string} */
const fetchedVersion = () =>
  JSON.parse(readFileSync(inRoot("tools", "node", "package.json"), "utf8")).version;

function isRunningNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor);
}
