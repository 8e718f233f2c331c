import { guardPage, guardScript } from "./guard-loops.ts";

// A script of its own, which runs in the sandboxed frame before a program whose loops would stop the page.

/** How long a program may run before it gives others a turn. */
const turnMaxMs = 5_000;
/** The clock is read once in so many turns of loops. */
const turnsPerReading = 64;

const name = "$parlanceLoop";

function guardLoops(onBlocked: () => void): (html: string) => string {
  const now = performance.now.bind(performance);
  const { port1, port2 } = new MessageChannel();
  const post = port2.postMessage.bind(port2);
  const TooLong = Error;
  let turns = 0;
  let startedAt: number | undefined;
  let isStopped = false;
  // Between two turns of the event loop. Timers would be slow in the background.
  port1.addEventListener("message", () => (startedAt = undefined));
  port1.start();
  const check = () => {
    turns += 1;
    if (isStopped) throw new TooLong("A loop ran for more than 5 seconds.");
    if (turns % turnsPerReading !== 0) return;
    if (startedAt === undefined) {
      startedAt = now();
      post(undefined);
    } else if (now() - startedAt > turnMaxMs) {
      isStopped = true;
      onBlocked();
      check();
    }
  };
  Object.defineProperty(globalThis, name, { value: check });
  return (html) => guardPage(html, `${name}();`);
}

// React programs are compiled in the frame.
Object.assign(globalThis, { guardLoops, guardCode: (code: string) => guardScript(code, `${name}();`) });
