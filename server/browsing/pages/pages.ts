import chardet from "chardet";
import { decodeText } from "#contract/decode-text.ts";
import { cleanText, cutText } from "#contract/text.ts";
import { ExtractionError } from "../../extraction/extraction-error.ts";
import { memorySource, type FileSource } from "../../extraction/file-source.ts";
import { createLruCache } from "../../extraction/lru-cache.ts";
import type { FileText } from "../../extraction/texts.ts";
import type { Fetched, GuardedFetch } from "../../fetch/guarded-fetch.ts";
import { typeOfBytes, sniffBytes } from "../../files/uploads/sniff.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { createIsolatedWorker, WorkerError } from "../../lib/isolated-worker.ts";
import type { Logger } from "../../lib/logger.ts";
import { ToolError } from "../../tools/tool.ts";
import type { PageOutcome, PageTask } from "./article-thread.ts";
import type { RobotsOutcome, RobotsTask } from "./robots-thread.ts";
import { createRobots } from "./robots.ts";

/** A page, or another document at a URL. `text` is Markdown if it is a page. */
export type WebPage = {
  /** After redirects. */
  url: string;
  title: string;
  text: string;
};

/** Reads pages of the web for people. */
export type Pages = ReturnType<typeof createPages>;

const pageTypes = ["text/html", "application/xhtml+xml"];
const acceptedTypes = [
  ...pageTypes,
  "text/plain",
  "text/markdown",
  "text/csv",
  "application/json",
  "application/xml",
  "text/xml",
  "application/pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.oasis.opendocument.text",
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.oasis.opendocument.presentation",
];
const bytesMax = 10 * 1024 * 1024;
/** Larger pages are not parsed: they are data, not text. */
const htmlCharactersMax = 4_000_000;
const textCharactersMax = 1_000_000;
const freshMs = 60 * 60_000;
const cacheBytesMax = 32 * 1024 * 1024;

const worker = {
  heapMb: 256,
  limitMs: 5_000,
  startLimitMs: 15_000,
  idleMs: 60_000,
  waitingMax: 50,
};

/** `documentText` extracts the text of files that are no web pages. Throws `ExtractionError`. */
export function createPages({
  clock,
  logger,
  guardedFetch,
  documentText,
}: {
  clock: Clock;
  logger: Pick<Logger, "warn">;
  guardedFetch: GuardedFetch;
  documentText: (source: FileSource, signal: AbortSignal) => Promise<FileText>;
}) {
  const onDied = (error: unknown) => logger.warn({ err: error }, "the worker for web pages failed");
  const articles = createIsolatedWorker<PageTask, PageOutcome>({
    ...worker,
    program: new URL("./article-thread.ts", import.meta.url),
    onDied,
  });
  const rules = createIsolatedWorker<RobotsTask, RobotsOutcome>({
    ...worker,
    program: new URL("./robots-thread.ts", import.meta.url),
    onDied,
  });
  const ask = async (task: RobotsTask, signal: AbortSignal) =>
    await rules.run(task, signal).catch(throwWorkerError);
  const robots = createRobots({ clock, guardedFetch, ask });
  const cache = createLruCache<WebPage>(cacheBytesMax, ({ text }) => 2 * text.length + 500);

  async function fetchPage(url: URL, workspaceId: string, signal: AbortSignal): Promise<WebPage> {
    const request = { url: url.href, field: "url", types: acceptedTypes, bytesMax, signal };
    await requireAllowed(url, signal);
    const fetched = await guardedFetch(request).catch(throwToolError);
    const after = new URL(fetched.url);
    if (after.origin !== url.origin) await requireAllowed(after, signal);
    const page = await textOf(fetched, workspaceId, signal);
    const text = cleanText(page.text).trim();
    if (text === "")
      throw new ToolError("The page has no text without its scripts, so it cannot be read here.");
    return { url: fetched.url, title: cleanText(page.title), text: cutText(text, textCharactersMax) };
  }

  async function requireAllowed(url: URL, signal: AbortSignal): Promise<void> {
    if (!(await robots.allows(url, signal)))
      throw new ToolError(`${url.host} does not let programs read this page (robots.txt).`);
  }

  async function textOf(
    { bytes, contentType, charset, url }: Fetched,
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<{ title: string; text: string }> {
    const name = decodeURIComponentSafely(new URL(url).pathname.split("/").at(-1) ?? "");
    const isPage = contentType === undefined ? looksLikeHtml(bytes) : pageTypes.includes(contentType);
    if (isPage) return await articleOf(decodePage(bytes, charset), url, signal);
    const type = await typeOfBytes(bytes.subarray(0, sniffBytes), name);
    const source = memorySource(name, { type, bytes }, workspaceId);
    try {
      return { title: name, text: (await documentText(source, signal)).text };
    } catch (error) {
      if (!(error instanceof ExtractionError)) throw error;
      throw new ToolError("This address leads to a file whose text cannot be read.", { cause: error });
    }
  }

  async function articleOf(html: string, url: string, signal: AbortSignal) {
    if (html.length > htmlCharactersMax) throw new ToolError("The page is too large to read.");
    const outcome = await articles.run({ html, url }, signal).catch(throwWorkerError);
    if ("failure" in outcome)
      throw new ToolError("The page is too complex to read.", { cause: outcome.failure });
    return outcome;
  }

  return {
    /** Throws `ToolError` and the signal's reason. The same page is fetched once an hour for a workspace. */
    async read(
      address: string,
      { workspaceId, signal }: { workspaceId: string; signal: AbortSignal },
    ): Promise<WebPage> {
      if (!URL.canParse(address) || !/^https?:/i.test(address))
        throw new ToolError("Give the complete address of a page, such as https://example.org/garden.");
      const url = new URL(address);
      url.hash = "";
      const period = Math.floor(clock.now() / freshMs);
      const key = `${workspaceId} ${url.href} ${period}`;
      return await cache.getOrCreate(key, async () => await fetchPage(url, workspaceId, signal), signal);
    },
    close: async () => void (await Promise.all([articles.close(), rules.close()])),
  };
}

/** The error of a worker in words for the model and the person. */
function throwWorkerError(error: unknown): never {
  if (!(error instanceof WorkerError)) throw error;
  const isBusy = error.why === "busy" || error.why === "closed";
  throw new ToolError(
    isBusy ? "Too many pages are being read. Try again in a moment." : "The page is too complex to read.",
    { cause: error },
  );
}

/** The error of a fetch in words for the model and the person. */
function throwToolError(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const said = error.details?.[0]?.message;
  const reasons: Partial<Record<AppError["code"], string>> = {
    "fetching-off": "This server does not read web pages.",
    "address-not-allowed": `This address cannot be read: it ${said}.`,
    "address-unreachable": "The website does not answer.",
    "address-refused": `The website does not return the page: it ${said}.`,
    "fetched-wrong-type": "The address does not lead to a page or a document that can be read.",
    "fetched-too-large": "The page is too large to read.",
  };
  throw new ToolError(reasons[error.code] ?? "The page cannot be read.", { cause: error });
}

/** The encoding is that of the response, of a `meta` element, or detected. */
function decodePage(bytes: Buffer, charset: string | undefined): string {
  const head = bytes.subarray(0, 2_048).toString("latin1");
  const declared = charset ?? /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1];
  const decoded = declared === undefined ? undefined : tryDecode(bytes, declared);
  return decoded ?? decodeText(bytes, false, (looked) => chardet.analyse(looked)) ?? "";
}

function tryDecode(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function looksLikeHtml(bytes: Buffer): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body)/i.test(bytes.subarray(0, 512).toString("latin1"));
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
