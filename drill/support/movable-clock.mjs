// Loaded into a server process before its own code. Moves that process's wall clock, as an operator, a time server or a
// wake from sleep does; the monotonic clock and timers do not move then either. The file named by DRILL_CLOCK has the
// offset in milliseconds, and SIGUSR2 makes the process read it again.
import { readFileSync } from "node:fs";

const RealDate = Date;
const now = Date.now.bind(Date);
let offsetMs = 0;

function read() {
  offsetMs = Number(readFileSync(String(process.env.DRILL_CLOCK), "utf8"));
}

read();
process.on("SIGUSR2", read);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + offsetMs] : args, newTarget),
  apply: (target) => new target(now() + offsetMs).toString(),
  get: (target, name, receiver) =>
    name === "now" ? () => now() + offsetMs : Reflect.get(target, name, receiver),
});
