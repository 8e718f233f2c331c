import { spawn } from "node:child_process";
import { constants } from "node:os";
import { inRoot, root, stopSignals } from "./files.mjs";
import { watchNpm } from "./npm-process.mjs";
import { environmentFor } from "./packages.mjs";

/**
 * Runs Node with these arguments until it ends, and returns its exit code.
 *
 * Signals are forwarded, except Ctrl-C in a terminal, which signals all its processes. If this process is killed, the IPC
 * channel closes, which stops the child too (see stop-with-parent.mjs).
 *
 * @param {string} nodeBinary
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export function runChild(nodeBinary, args) {
  const preload = new URL("./stop-with-parent.mjs", import.meta.url).href;
  const child = spawn(nodeBinary, ["--disable-warning=ExperimentalWarning", "--import", preload, ...args], {
    cwd: root,
    env: {
      // Kept between runs, so that a second start does not compile everything again.
      NODE_COMPILE_CACHE: inRoot("node_modules", ".cache", "node"),
      ...environmentFor(nodeBinary),
      PARLANCE_RUNNER_PID: String(process.pid),
    },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    unwatch();
    // On Windows, a signal would end the program at once.
    if (process.platform !== "win32") child.kill(signal);
    else if (child.connected) child.disconnect();
  };
  const unwatch = watchNpm(() => stop("SIGTERM"));
  for (const signal of stopSignals)
    process.on(signal, () => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) stop(signal);
    });
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`Could not start ${nodeBinary}: ${error.message}`);
      resolve(1);
    });
    // By a shell's convention, 128 plus the number of the signal.
    child.once("exit", (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)));
  });
}
