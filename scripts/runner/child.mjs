import { spawn } from "node:child_process";
import { constants } from "node:os";
import { environmentFor } from "./environment.mjs";
import { inRoot, root } from "./paths.mjs";
import { whenStarterIsGone } from "./starter.mjs";

/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs Node with the given line until it ends, and answers its exit code.
 *
 * Ctrl-C reaches the child without us, because a terminal signals the whole group; so nothing is passed on
 * as a signal. The child is told to stop over a channel, and does not listen to that when it has already
 * heard (see stop-with-parent.mjs). When we are killed outright the channel closes, which tells it too.
 *
 * @param {string} nodeBinary
 * @param {string[]} line
 * @returns {Promise<number>}
 */
export function runChild(nodeBinary, line) {
  const preload = new URL("./stop-with-parent.mjs", import.meta.url).href;
  const child = spawn(nodeBinary, ["--disable-warning=ExperimentalWarning", "--import", preload, ...line], {
    cwd: root,
    env: {
      // Kept from run to run, so that a second start does not read and compile everything again.
      NODE_COMPILE_CACHE: inRoot("node_modules", ".cache", "node"),
      ...environmentFor(nodeBinary),
      PARLANCE_RUNNER_PID: String(process.pid),
    },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const tellToStop = () => {
    if (child.connected) child.send("stop", () => {});
  };
  for (const signal of STOP_SIGNALS) process.on(signal, tellToStop);
  whenStarterIsGone(tellToStop);
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`Could not start ${nodeBinary}: ${error.message}`);
      resolve(1);
    });
    // A shell's convention: 128 and the number of the signal.
    child.once("exit", (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)));
  });
}
