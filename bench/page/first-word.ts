import { median, type Bench, type Figure } from "../support/report.ts";
import { withPages, type MeasuredPage } from "./pages.ts";
import type { Probe } from "./probe.ts";

const rounds = 8;
const question = "tokens=20 gap=20\nmarkdown stamp";

/** The time from Enter until the first word is painted, alternately with a bare page on a bare proxy. */
export const firstWord: Bench = {
  about: "from Enter to the first visible word in the browser, in turn with a bare page on a bare proxy",
  async run() {
    return await withPages(async ({ ours, bare }) => {
      const figures: Figure[] = [];
      for (const { slowdown, aimMs } of [
        { slowdown: 1, aimMs: 45 },
        { slowdown: 4, aimMs: 150 },
      ]) {
        for (const one of [ours, bare]) await one.slowDown(slowdown);
        const name = slowdown === 1 ? "" : `, ${slowdown} × slower processor`;
        for (const { what, prepare } of [
          { what: `first word in a new chat${name}`, prepare: newChat },
          { what: `first word in a thread${name}`, prepare: async () => {} },
        ]) {
          const times = { ours: [] as number[], bare: [] as number[] };
          for (let round = -1; round < rounds; round++) {
            await prepare(ours);
            const appMs = firstWordMs(await ours.ask(question));
            const baselineMs = firstWordMs(await bare.ask(question));
            if (round < 0) continue;
            times.ours.push(appMs);
            times.bare.push(baselineMs);
          }
          const addedMs = median(times.ours) - median(times.bare);
          figures.push(
            {
              what: `${what}, median`,
              unit: "ms",
              ours: median(times.ours),
              baseline: median(times.bare),
              against: "the bare page",
              aim: `at most ${aimMs} ms over the bare page`,
              met: addedMs <= aimMs,
            },
            { what: `${what}, over the bare page`, unit: "ms", ours: addedMs },
          );
        }
      }
      return figures;
    });
  },
};

async function newChat({ page }: MeasuredPage): Promise<void> {
  await page.getByRole("button", { name: "New chat" }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

function firstWordMs({ words, pressedAt }: Probe): number {
  const first = words[0];
  if (first === undefined) throw new Error("no word was seen");
  return first.shownAt - pressedAt;
}
