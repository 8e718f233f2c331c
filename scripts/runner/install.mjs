import { digestOf, readStamp, writeStamp } from "./digest.mjs";
import { runNpm } from "./npm.mjs";
import { root } from "./paths.mjs";

// Inside node_modules, so that whoever deletes the folder deletes the claim that it is complete.
const STAMP = ["node_modules", ".installed"];

export const installTitle = "Installing dependencies (about 20 s, once)";

/** Whether what is installed is what the lockfile says, for this machine and this Node.
 * @param {number} nodeMajor */
export function isInstalled(nodeMajor) {
  return readStamp(...STAMP) === installDigest(nodeMajor);
}

/** @param {import("./node.mjs").ChosenNode} node */
export async function install(node) {
  await runNpm(node.binary, ["ci"], root);
  writeStamp(installDigest(node.major), ...STAMP);
}

/**
 * After npm has been run by hand: where it changed what is installed, that is what the lockfile says now, and
 * need not be installed once more.
 *
 * @param {string[]} args npm's
 * @param {import("./node.mjs").ChosenNode} node
 */
export function markInstalledBy([verb = ""], node) {
  if (/^(install|i|add|uninstall|remove|rm|update|up|ci)$/.test(verb))
    writeStamp(installDigest(node.major), ...STAMP);
}

/** The major version stands for the binary interface: within one, addons keep working.
 * @param {number} nodeMajor */
function installDigest(nodeMajor) {
  return digestOf(["package-lock.json"], [process.platform, process.arch, String(nodeMajor)]);
}
