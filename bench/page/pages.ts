import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { withServices } from "../support/services.ts";
import { probe, type Probe } from "./probe.ts";

/** A page in its own browser context, with the probe. */
export type MeasuredPage = {
  page: Page;
  /** Slows the page's code down by a factor; 1 is full speed. */
  slowDown: (factor: number) => Promise<void>;
  /** Sends a question and waits for the end of its answer. Calls `meanwhile` when it is sent. */
  ask: (question: string, meanwhile?: () => Promise<void>) => Promise<Probe>;
  /** From the input of `act` until `isShown`, an expression, is true on the screen. */
  shownMs: (act: () => Promise<unknown>, isShown: string) => Promise<number>;
};

/** The app and the bare page, on the same model. */
export type Pages = { ours: MeasuredPage; bare: MeasuredPage };

/** Opens both pages in one browser and closes everything at the end. */
export async function withPages<T>(work: (pages: Pages) => Promise<T>): Promise<T> {
  return await withServices(async ({ server, proxy }) => {
    const browser = await launchChromium();
    try {
      return await work({
        ours: await openPage(browser, server.url),
        bare: await openPage(browser, proxy.url),
      });
    } finally {
      await browser.close();
    }
  });
}

async function openPage(browser: Browser, url: string): Promise<MeasuredPage> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  await context.addInitScript(probe);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await page.goto(url);
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.waitFor();
  await sleep(idleLoadingMs);
  const seen = async (isDone: string) => {
    for (let waitedMs = 0; waitedMs < longestMs; waitedMs += settleMs) {
      await sleep(settleMs);
      // The probe itself is read at the end, because reading it takes time of the page.
      if (await page.evaluate<boolean>(isDone)) return await page.evaluate<Probe>("window.probe");
    }
    throw new Error(`nothing was shown on ${url} for ${longestMs} ms`);
  };
  return {
    page,
    slowDown: async (rate) => void (await devTools.send("Emulation.setCPUThrottlingRate", { rate })),
    async ask(question, meanwhile) {
      await field.fill(question);
      await page.bringToFront();
      await sleep(settleMs);
      await field.press("Enter");
      await meanwhile?.();
      return await seen('window.probe.answer === "ended"');
    },
    async shownMs(act, isShown) {
      await sleep(settleMs);
      await page.evaluate(`delete window.probe.shownMs; window.isShown = () => ${isShown};`);
      await act();
      const { shownMs } = await seen("window.probe.shownMs !== undefined");
      return shownMs!;
    },
  };
}

const longestMs = 120_000;
/** 3 s: the app loads the rest of its code when the browser is idle. */
export const idleLoadingMs = 3_000;
/** 300 ms: longer than what a page does after a change, such as saving a draft. */
const settleMs = 300;
