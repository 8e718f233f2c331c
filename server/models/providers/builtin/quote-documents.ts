import { cutText } from "#contract/text.ts";
import { readQuestion } from "#server/search/passages/question.ts";
import { scorePassages } from "#server/search/passages/score.ts";
import type { ModelDocument, ModelUserPart } from "../../model.ts";
import type { Phrases } from "./language.ts";
import { plainMarkdown, quotation } from "./quote.ts";

/** A person waits, and so do others. */
const charactersRead = 200_000;
const passagesShown = 3;
/** How much of a question a passage must have. */
const fitMin = 0.5;

/**
 * The passages that answer a question, of the documents that came with it: the index may not have them yet. `undefined`
 * where there are none.
 */
export async function quoteDocuments(
  parts: readonly ModelUserPart[],
  question: string,
  phrases: Phrases,
): Promise<string | undefined> {
  const { concepts, keyOf } = await readQuestion(question);
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
  return cutText(text, charactersRead)
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
