import type { Browser, BrowserContext, ConsoleMessage, Page } from "playwright-core";
import { expect } from "vitest";

/** A person at a browser of their own, with an eye on everything that should not happen in it. */
export type Visit = {
  context: BrowserContext;
  page: Page;
  /** Another tab of the same browser. */
  tab(path?: string): Promise<Page>;
  /** What the browser asked for, as `GET /path`. */
  requests: string[];
  /** Ends the visit; fails when a page wrote an error, broke its policy, or asked anyone but our server. */
  end(): Promise<void>;
};

export type VisitOptions = {
  path?: string;
  width?: number;
  height?: number;
  dark?: boolean;
  /** The language that the browser wants; English unless told. */
  locale?: string;
  /** Where the browser is, as an IANA name. */
  timeZone?: string;
  /** The server is away for a while, or answers no on purpose: what the browser itself says of that is no mistake of the page. */
  lossesExpected?: boolean;
  /** Where the chat service stands, when that is not where the page comes from. */
  service?: string;
  /** The bucket that files go to, by the address of its service. */
  bucket?: string | undefined;
  prepare?: (context: BrowserContext) => Promise<unknown>;
};

export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark === true ? "dark" : "light",
    reducedMotion: "reduce",
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    ...(options.timeZone === undefined ? {} : { timezoneId: options.timeZone }),
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(15_000);
  await options.prepare?.(context);
  const mistakes: string[] = [];
  const requests: string[] = [];
  const ours = [url, options.service, options.bucket].filter((place) => place !== undefined);
  context.on("request", (request) => {
    const asked = request.url();
    requests.push(`${request.method()} ${asked.startsWith(url) ? asked.slice(url.length) : asked}`);
    if (!ours.some((place) => asked.startsWith(`${place}/`)) && !/^(data|blob):/.test(asked))
      mistakes.push(`asked ${asked}`);
  });
  context.on("page", (page) => watch(page, mistakes, options.lossesExpected === true));
  const tab = async (path = "/") => {
    const page = await context.newPage();
    await page.goto(path);
    return page;
  };
  return {
    context,
    requests,
    tab,
    page: await tab(options.path),
    async end() {
      await context.close();
      expect(mistakes, "nothing wrong in the browser").toEqual([]);
    },
  };
}

function watch(page: Page, mistakes: string[], lossesExpected: boolean): void {
  page.on("pageerror", (error) => mistakes.push(`threw ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    if (lossesExpected && isLoss(message)) return;
    mistakes.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
}

/** The browser's own line about a request that got no answer, or a no. */
function isLoss(message: ConsoleMessage): boolean {
  return message.text().startsWith("Failed to load resource:");
}
