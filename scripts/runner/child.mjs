import { spawn } from "node:child_process";
import { constants } from "node:os";
import { inRoot, root } from "./files.mjs";
import { environmentFor } from "./packages.mjs";

/** @type {NodeJS.Signals[]} */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

// Short enough that a server seldom outlives its `npm start` visibly.
const pollMs = 250;

/**
 * Runs Node with these arguments until it ends, and returns its exit code.
 *
 * A terminal sends Ctrl-C to the whole process group, so no signal is forwarded. A stop is sent over an IPC channel, and
 * the child ignores it if it already got the signal (see stop-with-parent.mjs). If this process is killed, the channel
 * closes, which also stops the child.
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
  const stop = () => {
    if (child.connected) child.send("stop", () => {});
  };
  for (const signal of stopSignals) process.on(signal, stop);
  whenNpmEnds(stop);
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`Could not start ${nodeBinary}: ${error.message}`);
      resolve(1);
    });
    // By a shell's convention, 128 plus the number of the signal.
    child.once("exit", (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)));
  });
}

/**
 * Calls back once when the npm that started this process has exited. npm starts it through a shell, and neither forwards
 * the signal that ended npm. Without npm nothing is watched: `nohup node scripts/run.mjs start &` outlives its terminal.
 *
 * @param {() => void} callback
 */
function whenNpmEnds(callback) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, pollMs);
  timer.unref();
}
