// Loaded into the program before its own code. It makes the program end when its runner ends, however that
// ended, and makes it hear one request to stop where a terminal and the runner both pass on the same one.
// The program itself only has to listen to SIGINT and SIGTERM, as any server does.

// 10 s: a server that drains finishes its open transactions in well under one; what takes longer is stuck.
const PATIENCE_MS = 10_000;
// 250 ms: a terminal signals the whole group at once, so the program's own copy has arrived by then.
const OWN_SIGNAL_MS = 250;

/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

let isStopping = false;

// Programs that ours starts load this file too, as they inherit its options; their parent is another.
if (process.channel && process.env.PARLANCE_RUNNER_PID === String(process.ppid)) {
  for (const signal of STOP_SIGNALS) process.on(signal, heard);
  process.on("message", (message) => {
    if (message === "stop") setTimeout(stopUnlessHeard, OWN_SIGNAL_MS);
  });
  process.once("disconnect", stopUnlessHeard);
  // Listening to the runner is no reason to stay alive.
  process.channel.unref();
}

/** @param {NodeJS.Signals} signal */
function heard(signal) {
  if (isStopping) return;
  isStopping = true;
  setTimeout(giveUp, PATIENCE_MS).unref();
  if (process.listenerCount(signal) > 1) return;
  // Our listening took away what the signal does by itself; a program that does not listen gets it back.
  if (signal === "SIGHUP" && process.listenerCount("SIGTERM") > 1) process.emit("SIGTERM", "SIGTERM");
  else process.exit(signal === "SIGINT" ? 130 : 143);
}

function stopUnlessHeard() {
  if (!isStopping) process.emit("SIGTERM", "SIGTERM");
}

function giveUp() {
  console.error(`Still not stopped after ${PATIENCE_MS / 1000} s; ending now.`);
  process.exit(1);
}
