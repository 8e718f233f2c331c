import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { undocumentedIn, type SentRequest } from "#fixtures/undocumented.ts";

/** A person with their own browser context, which records errors and requests to other servers. */
export type Visit = {
  context: BrowserContext;
  page: Page;
  /** Another tab of the same browser. */
  tab(path?: string): Promise<Page>;
  /** The requests of the browser, as `GET /path`. */
  requests: string[];
  /**
   * Closes the browser context. Fails if a page logged an error, violated its policy, or contacted another server. Happens at
   * the end of the test, unless the context is closed by then.
   */
  end(): Promise<void>;
};

export type VisitOptions = {
  path?: string;
  width?: number;
  height?: number;
  dark?: boolean;
  /** A touch screen instead of a mouse. */
  hasTouch?: boolean;
  /** The browser's language. The default is English. */
  locale?: string;
  /** The browser's time zone, as an IANA name. */
  timeZone?: string;
  /** Ignores the browser's messages about failed requests, for tests in which the server is down or rejects requests. */
  networkErrorsExpected?: boolean;
  /** Errors of the page's own packages that it logs whatever the service does. */
  ignoredErrors?: RegExp | undefined;
  /** The address of the chat service, if it is not that of the page. */
  service?: string;
  /** The address of the service with the bucket for files. */
  bucket?: string | undefined;
  /** The address of another server, which is opened in the same browser. */
  other?: string;
  /**
   * Without the browser's data saver, so that the page loads what it may need later when it is idle (`allLoaded`). That takes
   * more processor time than the rest of a short visit.
   */
  preloads?: true;
  /** Whether the owner's link asks to create an account, as for an owner who has not decided to go on without one. */
  asksForAccount?: true;
  prepare?: (context: BrowserContext) => Promise<unknown>;
};

export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark === true ? "dark" : "light",
    reducedMotion: "reduce",
    hasTouch: options.hasTouch === true,
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    ...(options.timeZone === undefined ? {} : { timezoneId: options.timeZone }),
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(15_000);
  if (options.preloads === undefined) await context.addInitScript(saveData);
  if (options.asksForAccount === undefined) await context.addInitScript(goOnWithoutAccount);
  await options.prepare?.(context);
  const problems: string[] = [];
  const requests: string[] = [];
  const allowedOrigins = [url, options.service, options.bucket, options.other].filter(
    (origin) => origin !== undefined,
  );
  context.on("request", (request) => {
    const address = request.url();
    requests.push(`${request.method()} ${address.startsWith(url) ? address.slice(url.length) : address}`);
    if (!allowedOrigins.some((origin) => address.startsWith(`${origin}/`)) && !/^(data|blob):/.test(address))
      problems.push(`requested ${address}`);
    // A page of another app: its client may send only what the API reference has.
    if (options.service !== undefined && address.startsWith(`${options.service}/`))
      problems.push(...undocumentedIn(sentBy(request)).map((sent) => `sent ${sent}`));
  });
  context.on("page", (page) => watch(page, problems, options));
  const tab = async (path = "/") => {
    const page = await context.newPage();
    await page.goto(path);
    return page;
  };
  const end = async () => {
    await context.close();
    expect(problems, "problems in the browser").toEqual([]);
  };
  let isClosed = false;
  context.on("close", () => (isClosed = true));
  onTestFinished(async () => {
    if (!isClosed) await end();
  });
  return { context, requests, tab, page: await tab(options.path), end };
}

/** Without the headers: the browser does not send those that the service does not allow to pages of other origins. */
function sentBy(request: Request): SentRequest {
  return { method: request.method(), url: request.url(), headers: [], body: request.postData() };
}

/** Runs in each page. */
function saveData(): void {
  const connection = Reflect.get(navigator, "connection") as object;
  Object.defineProperty(connection, "saveData", { get: () => true });
}

/** Runs in each page and frame; those without an origin have no local storage. */
function goOnWithoutAccount(): void {
  if (origin !== "null") localStorage.setItem("parlance.withoutAccount", "true");
}

function watch(
  page: Page,
  problems: string[],
  { networkErrorsExpected = false, ignoredErrors }: VisitOptions,
): void {
  page.on("pageerror", (error) => problems.push(`threw ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    if (networkErrorsExpected && isFailedRequest(message)) return;
    if (isUnknownDirective(message) || ignoredErrors?.test(message.text()) === true) return;
    problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
}

/** The policy of the frame of programs has a directive of the standard that Chromium does not know. */
function isUnknownDirective(message: ConsoleMessage): boolean {
  return message.text() === "Unrecognized Content-Security-Policy directive 'webrtc'.";
}

/** The browser's message about a failed or rejected request. */
function isFailedRequest(message: ConsoleMessage): boolean {
  return message.text().startsWith("Failed to load resource:");
}
