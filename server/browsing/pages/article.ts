import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { gfm } from "@joplin/turndown-plugin-gfm";

/** What can be read on a page. `text` is Markdown with absolute links; empty if there is nothing to read. */
export type Article = { title: string; text: string };

/** Why a page is not read. */
export type ArticleFailure = { failure: "too-deep" };

/** Readability takes more than 25 s for 3,000 nested elements. Pages have about 50. */
const depthMax = 500;

/** Article pages have more text than this. Of the others, such as a list of links, everything is kept. */
const articleCharactersMin = 250;

const turndown = new TurndownService({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
}).use(gfm);

/** Extracts what can be read on a page. `url` is that of the page. Slow for large pages: call it in a worker. */
export function extractArticle(html: string, url: string): Article | ArticleFailure {
  const { document } = parseHTML(wholeDocument(html)) as unknown as { document: PageDocument };
  if (isTooDeep(document)) return { failure: "too-deep" };
  const title = document.querySelector("title")?.textContent.trim() ?? "";
  const base = baseOf(document.querySelector("base[href]")?.getAttribute("href"), url);
  prepareElements(document, base);
  // Readability changes the document.
  const whole = document.querySelector("body")?.innerHTML ?? "";
  const input = [document, { keepClasses: true }] as unknown as ConstructorParameters<
    typeof Readability<string>
  >;
  const article = new Readability<string>(...input).parse();
  const text = markdownOf(article?.content ?? "");
  return {
    title: article?.title?.trim() || title,
    text: text.length >= articleCharactersMin ? text : longerOf(text, markdownOf(whole)),
  };
}

/** linkedom finds the head and the body only if they are written. */
function wholeDocument(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
}

/** What is used of linkedom's elements, whose types need those of a browser. */
type PageElement = {
  readonly textContent: string;
  readonly innerHTML: string;
  readonly firstElementChild: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  readonly parentElement: PageElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  replaceWith(node: object): void;
  remove(): void;
};

type PageDocument = {
  readonly documentElement: PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  createTextNode(text: string): object;
};

function isTooDeep(document: PageDocument): boolean {
  let depth = 0;
  let element = document.documentElement;
  for (;;) {
    if (element.firstElementChild !== null) {
      if (++depth > depthMax) return true;
      element = element.firstElementChild;
      continue;
    }
    while (element.nextElementSibling === null) {
      if (element === document.documentElement || element.parentElement === null) return false;
      depth--;
      element = element.parentElement;
    }
    element = element.nextElementSibling;
  }
}

function baseOf(href: string | null | undefined, url: string): string {
  return href != null && URL.canParse(href, url) ? new URL(href, url).href : url;
}

/**
 * Makes links absolute, and replaces pictures by their descriptions: the address of one in an answer would be a request
 * that nobody asked for.
 */
function prepareElements(document: PageDocument, base: string): void {
  for (const hidden of document.querySelectorAll("script, style, noscript, template, iframe, svg, [hidden]"))
    hidden.remove();
  for (const picture of document.querySelectorAll("img")) {
    const words = picture.getAttribute("alt")?.trim() ?? "";
    picture.replaceWith(document.createTextNode(words === "" ? "" : `(picture: ${words})`));
  }
  for (const link of document.querySelectorAll("a")) {
    const href = link.getAttribute("href") ?? "";
    const target = URL.canParse(href, base) ? new URL(href, base) : undefined;
    if (target !== undefined && /^https?:$/.test(target.protocol)) link.setAttribute("href", target.href);
    else link.removeAttribute("href");
  }
}

/** Turndown parses the HTML itself: it cannot read linkedom's nodes. */
function markdownOf(html: string): string {
  return turndown
    .turndown(html)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function longerOf(one: string, other: string): string {
  return one.length >= other.length ? one : other;
}
