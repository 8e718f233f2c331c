import { cutText } from "#contract/text.ts";
import { parseQuestion } from "#server/search/passages/question.ts";
import { scorePassages } from "#server/search/passages/score.ts";
import type { ModelDocument, ModelUserPart } from "../../model.ts";
import type { Phrases } from "./language.ts";
import { plainMarkdown, quotation } from "./plain-markdown.ts";

/** Limits the time that a question takes. */
const lengthMax = 200_000;
const passagesShown = 3;
/** How much of the question a passage must match, from 0 to 1. */
const fitMin = 0.5;

/**
 * Quotes the passages that match a question from the documents that are attached to it, because these may not be in the
 * search index yet. `undefined` if there are none.
 */
export async function quoteDocuments(
  parts: readonly ModelUserPart[],
  question: string,
  phrases: Phrases,
): Promise<string | undefined> {
  const { concepts, keyOf } = await parseQuestion(question);
  const weights = new Map(concepts.map(({ key }) => [key, 1]));
  const scored = parts
    .flatMap((part) => (part.type === "document" ? pagesOf(part) : []))
    .flatMap((page) => scorePassages(page, undefined, { concepts, keyOf }, weights))
    .filter(({ fit }) => fit >= fitMin)
    .toSorted((a, b) => b.score - a.score);
  const best = scored.filter(({ score }) => score >= scored[0]!.score / 2).slice(0, passagesShown);
  if (best.length === 0) return undefined;
  const quotes = best.map(({ of: { text, file }, start, end }) => {
    const page = file!.page === null ? "" : `, ${phrases.page(file!.page)}`;
    return `${quotation(text.slice(start, end))}\n>\n> *${plainMarkdown(file!.name)}*${page}`;
  });
  return [phrases.found, ...quotes].join("\n\n");
}

function pagesOf({ name, text, pages }: ModelDocument) {
  return cutText(text, lengthMax)
    .split("\f")
    .map((page, index) => ({
      id: "",
      threadId: "",
      parentId: null,
      role: "user" as const,
      title: null,
      createdAt: 0,
      archived: 0,
      text: page,
      file: { id: "", name, page: pages === undefined ? null : index + 1 },
    }));
}
