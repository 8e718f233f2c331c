// Progress goes to the error stream: what a command prints itself stays clean enough to be piped.
const out = process.stderr;

/**
 * Runs one step and says so: what it is, how far along it is, how long it took.
 *
 * @param {string} title for example "Installing dependencies (about 20 s, once)"
 * @param {{ number: number, of: number }} place
 * @param {() => Promise<void>} work
 */
export async function step(title, { number, of }, work) {
  const began = Date.now();
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  const line = `[${number}/${of}] ${title} ...`;
  out.write(out.isTTY ? line : `${line}\n`);
  // A terminal counts the seconds in place; a log gets a sign of life every 15 s.
  const tick = out.isTTY
    ? setInterval(() => out.write(`\r${line} ${seconds()}`), 1_000)
    : setInterval(() => out.write(`      still at it after ${seconds()}\n`), 15_000);
  try {
    await work();
    out.write(out.isTTY ? `\r${line} done in ${seconds()}\n` : `      done in ${seconds()}\n`);
  } catch (error) {
    out.write(out.isTTY ? `\r${line} failed after ${seconds()}\n` : `      failed after ${seconds()}\n`);
    throw error;
  } finally {
    clearInterval(tick);
  }
}

/** @param {string} words */
export function say(words) {
  out.write(`${words}\n`);
}
