// Loaded into a server before its own code: moves the wall's clock of that process, as an operator, a time server or a
// wake from sleep does. The monotonic clock and the timers go on as they were, which is just what happens then.
// The signal SIGUSR2 makes it read by how many milliseconds from the file that DRILL_CLOCK names.
import { readFileSync } from "node:fs";

const RealDate = Date;
const now = Date.now.bind(Date);
let aheadMs = 0;

function read() {
  aheadMs = Number(readFileSync(String(process.env.DRILL_CLOCK), "utf8"));
}

read();
process.on("SIGUSR2", read);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + aheadMs] : args, newTarget),
  apply: (target) => new target(now() + aheadMs).toString(),
  get: (target, name, receiver) =>
    name === "now" ? () => now() + aheadMs : Reflect.get(target, name, receiver),
});
