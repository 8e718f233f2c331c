import type { LanguageTag } from "#contract/i18n/languages.ts";

/** A sentence on the page. */
export type SpokenSentence = { text: string; range: Range };

/** Elements whose texts are apart: no sentence goes on in the next one. */
const blocks = "p, h3, h4, h5, h6, li, td, th, blockquote";
/** What is not read: code, formulas, controls, marks, thoughts and tool calls. */
const unread =
  "[data-disclosure], [data-asks], pre, button, figcaption, math, sup, .visually-hidden, [aria-hidden='true']";

/** The sentences of an answer as the page shows it. A text that grows only adds sentences, or continues the last one. */
export function sentencesOf(article: Element): SpokenSentence[] {
  return [...article.querySelectorAll("[data-parts]")].flatMap(blocksIn).flatMap(sentencesIn);
}

/** The text nodes of each block. */
function blocksIn(root: Element): Text[][] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(unread) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const found: Text[][] = [];
  let last: Element | null | undefined;
  while (walker.nextNode() !== null) {
    const node = walker.currentNode;
    if (!(node instanceof Text)) continue;
    const block = node.parentElement?.closest(blocks);
    if (found.length > 0 && block === last) found.at(-1)?.push(node);
    else found.push([node]);
    last = block;
  }
  return found;
}

function sentencesIn(nodes: readonly Text[]): SpokenSentence[] {
  const text = nodes.map(({ data }) => data).join("");
  return [...new Intl.Segmenter(languageOf(text), { granularity: "sentence" }).segment(text)]
    .filter(({ segment }) => /[\p{L}\p{N}]/u.test(segment))
    .map(({ segment, index }) => {
      const range = document.createRange();
      range.setStart(...placeAt(nodes, index));
      range.setEnd(...placeAt(nodes, index + segment.trimEnd().length));
      return { text: segment.trim(), range };
    });
}

/** The node and the offset in it of a character of the joined text. */
function placeAt(nodes: readonly Text[], offset: number): [Text, number] {
  let left = offset;
  for (const node of nodes) {
    if (left <= node.length) return [node, left];
    left -= node.length;
  }
  const last = nodes.at(-1) ?? new Text();
  return [last, last.length];
}

/** The script by which a language is recognized. */
const scripts: Record<LanguageTag, RegExp | undefined> = { en: undefined, ar: /\p{Script=Arabic}/gu };

/** The language of most letters of a text, or else that of the page, unless its script is another one. */
export function languageOf(text: string): string {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  for (const [tag, script] of Object.entries(scripts))
    if (script !== undefined && (text.match(script)?.length ?? 0) > letters / 2) return tag;
  const page = document.documentElement.lang;
  return scripts[page as LanguageTag] === undefined ? page : "en";
}
