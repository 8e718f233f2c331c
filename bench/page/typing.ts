import { setTimeout as sleep } from "node:timers/promises";
import { median, percentile, type Bench, type Figure } from "../support/report.ts";
import { makeThread } from "./thread.ts";
import { idleLoadingMs, withPages, type MeasuredPage, type Pages } from "./pages.ts";

const rounds = 9;
const keys = 60;
/** 60 ms between two keys: a fast typist. */
const keyGapMs = 60;

/** Reaction times: keys during an answer compared with a bare page, switching threads, and the palette. */
export const typing: Bench = {
  about:
    "key presses during an answer beside a bare page, switching between threads of 200 messages, the palette",
  async run() {
    return await withPages(async (pages) => [
      ...(await keysDuringAnswer(pages, { slowdown: 1, aimMs: 50 })),
      ...(await keysDuringAnswer(pages, { slowdown: 4, aimMs: 100 })),
      ...(await switching(pages.ours)),
    ]);
  },
};

async function keysDuringAnswer(
  { ours, bare }: Pages,
  { slowdown, aimMs }: { slowdown: number; aimMs: number },
): Promise<Figure[]> {
  const seen: number[][] = [];
  for (const one of [ours, bare]) {
    await one.slowDown(slowdown);
    const { keys: shown } = await one.ask("tokens=1200 gap=5\nmarkdown", async () => {
      for (let key = 0; key < keys; key++) {
        await one.page.keyboard.press("a");
        await sleep(keyGapMs);
      }
    });
    await one.slowDown(1);
    seen.push(shown);
  }
  const [appMs = Number.NaN, bareMs = Number.NaN] = seen.map((times) => percentile(times, 75));
  return [
    {
      what: `key press during an answer, p75${slowdown === 1 ? "" : `, ${slowdown} × slower processor`}`,
      unit: "ms",
      ours: appMs,
      baseline: bareMs,
      against: "the bare page",
      aim: `at most ${aimMs} ms`,
      met: appMs <= aimMs,
    },
  ];
}

async function switching({ page, shownMs }: MeasuredPage): Promise<Figure[]> {
  const unopened: number[] = [];
  const opened: number[] = [];
  const palette: number[] = [];
  const open = async (threadId: string) =>
    await shownMs(
      async () => await page.locator(`nav a[href="/t/${threadId}"]`).click(),
      `location.pathname === "/t/${threadId}" && [...document.querySelectorAll("article")].at(-1)?.textContent.includes("Message 199")`,
    );
  const [one, other] = [await makeThread(page, 200), await makeThread(page, 200)];
  for (let round = 0; round < rounds; round++) {
    // A new page has opened no thread yet.
    await page.goto("/");
    await sleep(idleLoadingMs);
    unopened.push(await open(one), await open(other));
    opened.push(await open(one), await open(other));
    palette.push(
      await shownMs(
        async () => await page.keyboard.press("Control+k"),
        `document.querySelector("dialog[open] [role=combobox]") !== null`,
      ),
    );
    await page.keyboard.press("Escape");
  }
  return [
    { what: "opening a thread of 200 messages for the first time", aimMs: 200, times: unopened },
    { what: "opening a thread of 200 messages again", aimMs: 100, times: opened },
    { what: "opening the palette", aimMs: 50, times: palette },
  ].map(({ what, aimMs, times }) => ({
    what: `${what}, median`,
    unit: "ms",
    ours: median(times),
    aim: `at most ${aimMs} ms`,
    met: median(times) <= aimMs,
  }));
}
