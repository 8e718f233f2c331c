// Loaded into the program before its own code. It ends the program when its runner ends, however that ended, and
// delivers one request to stop when the terminal and the runner both send it. The program itself only listens to SIGINT
// and SIGTERM, as any server does.

import { constants } from "node:os";
import { inRoot, serverProgram } from "./files.mjs";

// 10 s: tests and benchmarks end within a few seconds; after that they hang.
const STOP_TIMEOUT_MS = 10_000;
// The server limits the time of its own end, which depends on SHUTDOWN_GRACE_SECONDS.
const IS_SERVER = process.argv[1] === inRoot(serverProgram);
// 250 ms: a terminal signals the whole group at once, so the program's own signal has arrived by then.
const OWN_SIGNAL_MS = 250;

/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

let isStopping = false;

// Child processes of the program inherit its options and load this file too, but the runner is not their parent.
if (process.channel && process.env.PARLANCE_RUNNER_PID === String(process.ppid)) {
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  process.on("message", (message) => {
    if (message === "stop") setTimeout(stopUnlessSignalled, OWN_SIGNAL_MS);
  });
  process.once("disconnect", stopUnlessSignalled);
  // The channel to the runner does not keep the program alive.
  process.channel.unref();
}

/** @param {NodeJS.Signals} signal */
function onSignal(signal) {
  if (isStopping) return;
  isStopping = true;
  if (!IS_SERVER) setTimeout(forceExit, STOP_TIMEOUT_MS).unref();
  if (process.listenerCount(signal) > 1) return;
  // This listener disables the signal's default action. Restore it for a program without a listener.
  if (signal === "SIGHUP" && process.listenerCount("SIGTERM") > 1)
    process.emit("SIGTERM", "SIGTERM", constants.signals.SIGTERM);
  else process.exit(signal === "SIGINT" ? 130 : 143);
}

function stopUnlessSignalled() {
  if (!isStopping) process.emit("SIGTERM", "SIGTERM", constants.signals.SIGTERM);
}

function forceExit() {
  console.error(`Still not stopped after ${STOP_TIMEOUT_MS / 1000} s; ending now.`);
  process.exit(1);
}
