import { median, percentile, type Bench, type Figure } from "../support/report.ts";
import { withPages, type Pages } from "./pages.ts";
import type { Probe } from "./probe.ts";

const rounds = 5;
/** 5 ms between two tokens: 200 tokens/s. */
const question = (tokens: number, gapMs = 5) => `tokens=${tokens} gap=${gapMs}\nmarkdown stamp`;
const frameMs = 1_000 / 60;

/** Frame times and delay of a streaming answer, alternately with a bare page on a bare proxy. */
export const frames: Bench = {
  about: "frames and delay of a streaming answer in the browser, in turn with a bare page on a bare proxy",
  async run() {
    return await withPages(async (pages) => [
      ...(await short(pages, 1)),
      ...(await short(pages, 4)),
      ...(await long(pages)),
    ]);
  },
};

/** 800 tokens at 200 tokens/s. */
async function short({ ours, bare }: Pages, slowdown: number): Promise<Figure[]> {
  for (const one of [ours, bare]) await one.slowDown(slowdown);
  const seen: { ours: Smoothness; bare: Smoothness }[] = [];
  for (let round = -1; round < rounds; round++) {
    const both = {
      ours: smoothnessOf(await ours.ask(question(800))),
      bare: smoothnessOf(await bare.ask(question(800))),
    };
    if (round >= 0) seen.push(both);
  }
  const name = `800 tokens${slowdown === 1 ? "" : `, ${slowdown} × slower processor`}`;
  const of = (what: keyof Smoothness) => ({
    unit: "ms",
    ours: median(seen.map((both) => both.ours[what])),
    baseline: median(seen.map((both) => both.bare[what])),
    against: "the bare page",
  });
  const [late, end, p95, dropped] = [of("lateMs"), of("endMs"), of("p95Ms"), of("droppedPercent")];
  const aimed = slowdown === 1 ? {} : { aim: "at most 34 ms", met: p95.ours <= 34 };
  return [
    {
      what: `${name}: delay of a token on the screen, median`,
      ...late,
      aim: "at most 80 ms",
      met: late.ours <= 80,
    },
    {
      what: `${name}: delay of the last token on the screen`,
      ...end,
      aim: "at most 50 ms",
      met: end.ours <= 50,
    },
    { what: `${name}: p95 frame`, ...p95, ...aimed },
    { what: `${name}: dropped frames`, ...dropped, unit: "%", aim: "at most 2 %", met: dropped.ours <= 2 },
  ];
}

/** 20,000 tokens in bursts of 20. The words are not read, because that would take time in each frame. */
async function long({ ours, bare }: Pages): Promise<Figure[]> {
  const [app, barePage] = await Promise.all(
    [ours, bare].map(async (one) => {
      await one.slowDown(1);
      await one.page.evaluate("window.readsWords = false");
      return one;
    }),
  );
  const answer = `tokens=20000 gap=20 burst=20\nmarkdown`;
  const [appSeen, bareSeen] = [await app!.ask(answer), await barePage!.ask(answer)];
  const p95 = [appSeen, bareSeen].map((one) =>
    percentile(
      one.frames.map(({ ms }) => ms),
      95,
    ),
  );
  const over = p95[0]! - p95[1]!;
  return [
    {
      what: "20,000 tokens: p95 frame",
      unit: "ms",
      ours: p95[0]!,
      baseline: p95[1]!,
      against: "the bare page",
      aim: "at most 2 ms over the bare page",
      met: over <= 2,
    },
    {
      what: "20,000 tokens: tasks over 50 ms",
      unit: "",
      ours: appSeen.tasks.length,
      baseline: bareSeen.tasks.length,
      against: "the bare page",
      aim: "at most 5",
      met: appSeen.tasks.length <= 5,
    },
  ];
}

type Smoothness = { lateMs: number; endMs: number; p95Ms: number; droppedPercent: number };

function smoothnessOf({ words, frames: all }: Probe): Smoothness {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) throw new Error("no word was seen");
  const between = all.filter(({ at }) => at > first.shownAt && at <= last.shownAt).map(({ ms }) => ms);
  const due = between.reduce((sum, ms) => sum + Math.round(ms / frameMs), 0);
  return {
    lateMs: median(words.map(({ sentAt, shownAt }) => shownAt - sentAt)),
    endMs: last.shownAt - last.sentAt,
    p95Ms: percentile(between, 95),
    droppedPercent: (100 * (due - between.length)) / due,
  };
}
