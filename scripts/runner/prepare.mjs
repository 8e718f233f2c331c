import { codeOf, root, stopSignals } from "./files.mjs";
import { withLock } from "./lock.mjs";
import { chosenNode, fetchNode, fetchNodeTitle } from "./node.mjs";
import { installPackages, isInstalled } from "./packages.mjs";
import { buildWeb, isWebBuilt } from "./web-build.mjs";

/** @typedef {{ title: string, work: () => Promise<void> }} Step */

// Progress goes to the error stream, so that a command's own output can be piped.
const out = process.stderr;

/**
 * Installs and builds what the command needs, and prints nothing when everything is there.
 *
 * @param {import("./commands.mjs").Need} need
 * @returns {Promise<string>} the path of the Node to run with
 */
export async function prepare(need) {
  if (missingSteps(need).length > 0) {
    const stop = (/** @type {NodeJS.Signals} */ signal) => process.exit(signal === "SIGINT" ? 130 : 143);
    for (const signal of stopSignals) process.on(signal, stop);
    try {
      // Checked again under the lock: another start may have done it all.
      await withLock(() => runSteps(missingSteps(need)));
    } catch (error) {
      console.error(explain(error));
      process.exit(1);
    }
    for (const signal of stopSignals) process.removeListener(signal, stop);
  }
  return nodeOrThrow();
}

/**
 * @param {import("./commands.mjs").Need} need
 * @returns {Step[]}
 */
function missingSteps(need) {
  const steps = [];
  if (!chosenNode()) steps.push({ title: fetchNodeTitle(), work: fetchNode });
  if (need.packages !== undefined && !isInstalled(need.packages === "all")) {
    const work = () => installPackages(nodeOrThrow(), need.packages === "all");
    const what = need.packages === "all" ? "dependencies and the tools of development" : "dependencies";
    steps.push({ title: `Installing ${what} (about 20 s, once)`, work });
  }
  if (need.web && !isWebBuilt()) {
    const title = "Building the web app (about 5 s, when it changed)";
    steps.push({ title, work: () => buildWeb(nodeOrThrow()) });
  }
  return steps;
}

/** @param {Step[]} steps */
async function runSteps(steps) {
  for (const [index, { title, work }] of steps.entries()) {
    const startedMs = Date.now();
    const seconds = () => `${Math.round((Date.now() - startedMs) / 1000)} s`;
    out.write(`[${index + 1}/${steps.length}] ${title} ...\n`);
    // Shows progress, in a terminal and in a log.
    const tick = setInterval(() => out.write(`      still running after ${seconds()}\n`), 15_000);
    try {
      await work();
      out.write(`      done in ${seconds()}\n`);
    } finally {
      clearInterval(tick);
    }
  }
}

function nodeOrThrow() {
  const node = chosenNode();
  if (!node) throw new Error("The fetched Node has been deleted. Run this again.");
  return node;
}

/** @param {unknown} error */
function explain(error) {
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `This user may not write in ${root}. Run it as the owner of that folder, or clone it elsewhere.`;
  if (code === "ENOSPC")
    return `The disk of ${root} is full. The dependencies need about 600 MB, with the tools of development 900 MB.`;
  return error instanceof Error ? error.message : String(error);
}
