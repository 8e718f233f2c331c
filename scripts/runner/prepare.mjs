import { install, installTitle, isInstalled } from "./install.mjs";
import { alone } from "./lock.mjs";
import { chosenNode, fetchNode, fetchNodeTitle, majorToRunWith } from "./node.mjs";
import { root } from "./paths.mjs";
import { say, step } from "./steps.mjs";
import { buildWeb, buildWebTitle, isWebBuilt } from "./web-build.mjs";

/** @typedef {{ title: string, work: () => Promise<void> }} Step */

/**
 * Brings whatever the command needs and is not there yet, and says nothing when all is there.
 *
 * @param {import("./commands.mjs").Need[]} needs
 * @returns {Promise<import("./node.mjs").ChosenNode>} the Node to run with
 */
export async function prepare(needs) {
  if (missing(needs).length > 0) {
    const stop = (/** @type {NodeJS.Signals} */ signal) => process.exit(signal === "SIGINT" ? 130 : 143);
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    try {
      // Looked at again once alone: whoever was here before may have done it all.
      await alone(() => runAll(missing(needs)));
    } catch (error) {
      explain(error);
      process.exit(1);
    }
    for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
  }
  return nodeOrThrow();
}

/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * @param {import("./commands.mjs").Need[]} needs
 * @returns {Step[]}
 */
function missing(needs) {
  const steps = [];
  if (!chosenNode()) steps.push({ title: fetchNodeTitle(), work: fetchNode });
  if (needs.includes("dependencies") && !isInstalled(majorToRunWith())) {
    steps.push({ title: installTitle, work: () => install(nodeOrThrow()) });
  }
  if (needs.includes("web") && !isWebBuilt()) {
    steps.push({ title: buildWebTitle, work: () => buildWeb(nodeOrThrow().binary) });
  }
  return steps;
}

/** @param {Step[]} steps */
async function runAll(steps) {
  for (const [index, { title, work }] of steps.entries()) {
    await step(title, { number: index + 1, of: steps.length }, work);
  }
}

function nodeOrThrow() {
  const node = chosenNode();
  if (!node) throw new Error("The Node that was fetched has gone again.");
  return node;
}

/** @param {unknown} error */
function explain(error) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    say(`This user may not write in ${root}. Run it as the owner of that folder, or clone it elsewhere.`);
  } else if (code === "ENOSPC") {
    say(`The disk of ${root} is full. The dependencies need about 700 MB.`);
  } else {
    say(error instanceof Error ? error.message : String(error));
  }
}
