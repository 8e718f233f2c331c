import { cutText } from "#contract/text.ts";
import { readQuestion } from "#server/search/passages/question.ts";
import { scorePassages } from "#server/search/passages/score.ts";
import type { ModelDocument, ModelUserPart } from "../../../model.ts";
import { plainArabic } from "../arabic.ts";
import { plainMarkdown, verbatim } from "../quote.ts";
import type { FigureName, FilePhrases } from "./phrases.ts";
import { compare, numbersOf, sumOf, tablesOf, writeDecimal, type Table } from "./table.ts";

/** A longer text is looked through up to here: a person waits, and so do others. */
const lookedThroughCharacters = 200_000;
const passagesShown = 3;
/** Less of a question than this in a passage is chance. */
const fitLeast = 0.5;

export type AboutFiles = {
  /** What came with the message; of earlier ones only where nothing did. */
  parts: readonly ModelUserPart[];
  isEarlier: boolean;
  question: string;
  phrases: FilePhrases;
};

/**
 * What can be said of files without a language model: what came, how it begins, what its columns add up to, and the
 * places where what is asked about stands. `undefined` where there is nothing to say.
 */
export async function aboutFiles({
  parts,
  isEarlier,
  question,
  phrases,
}: AboutFiles): Promise<string | undefined> {
  const documents = parts.filter((part) => part.type === "document");
  const figures = documents.flatMap((document) => figuresOf(document, question, phrases));
  if (figures.length > 0) return figures.join("\n");
  const places = (
    await Promise.all(documents.map((document) => placesIn(document, question, phrases)))
  ).flat();
  if (places.length > 0) return places.join("\n\n");
  if (isEarlier) return undefined;
  const described = parts.flatMap((part) => describe(part, phrases));
  return described.length === 0 ? undefined : described.join("\n\n");
}

function describe(part: ModelUserPart, phrases: FilePhrases): string[] {
  if (part.type === "unread-file") return [phrases.unread(plainMarkdown(part.name), part)];
  if (part.type !== "document") return [];
  const tables = isTable(part) ? tablesOf(part.text) : [];
  const shapes = tables.map(({ name, columns, rows }) =>
    phrases.shape({
      name: name === undefined ? undefined : plainMarkdown(name),
      rows: rows.length,
      columns: columns.length,
      named: `${columns.slice(0, 12).map(plainMarkdown).join(phrases.comma)}${columns.length > 12 ? `${phrases.comma}…` : ""}`,
    }),
  );
  const head = phrases.file(plainMarkdown(part.name), { ...part, isCut: part.isCut === true });
  return [[head, ...shapes.map((line) => `- ${line}`), firstLines(part.text, phrases)].join("\n\n")];
}

function firstLines(text: string, { noText, begins }: FilePhrases): string {
  const lines = text
    .split(/[\n\f]/)
    .filter((line) => line.trim() !== "")
    .slice(0, 6)
    .map((line) => cutText(line, 160));
  if (lines.length === 0) return noText;
  // Longer than any row of the same in the text, so that nothing in it ends the block.
  const fence = "`".repeat(
    Math.max(3, ...[...lines.join("\n").matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return `${begins}\n\n${fence}text\n${lines.join("\n")}\n${fence}`;
}

/** Sums and the like of the columns that the question names, or of the one that has numbers. */
function figuresOf(document: ModelDocument, question: string, phrases: FilePhrases): string[] {
  const asked = plainArabic(question);
  const wanted = phrases.wishes.filter(({ word }) => word.test(asked));
  if (wanted.length === 0 || !isTable(document)) return [];
  return tablesOf(document.text).flatMap((table) =>
    columnsMeant(table, asked).flatMap((column) => {
      const { values, without } = numbersOf(table, column);
      return wanted.map(
        ({ name }) =>
          `- ${phrases.figure({
            what: name,
            column: plainMarkdown(table.columns[column]!),
            table: plainMarkdown(table.name ?? document.name),
            value: figure(name, values),
            numbers: values.length,
            without,
            isOfBeginning: document.isCut === true,
          })}`,
      );
    }),
  );
}

function figure(name: FigureName, values: Parameters<typeof sumOf>[0]): string {
  if (name === "sum") return writeDecimal(sumOf(values));
  if (name === "average") {
    const { units, places } = sumOf(values);
    return String(Number((Number(units) / 10 ** places / values.length).toPrecision(12)));
  }
  const sorted = values.toSorted(compare);
  return writeDecimal(name === "smallest" ? sorted[0]! : sorted.at(-1)!);
}

function columnsMeant(table: Table, question: string): number[] {
  const words = question.toLowerCase();
  const numeric = table.columns.flatMap((_, at) => (numbersOf(table, at).values.length > 0 ? [at] : []));
  const named = numeric.filter((at) => {
    const name = plainArabic(table.columns[at]!)
      .toLowerCase()
      .replace(/^ال(?=\p{L}{2})/u, "");
    // Arabic writes "the", "and" or "of the" as one with the word, and leaves "the" out before another noun.
    const before = "(?<![\\p{L}\\p{N}])(?:و?[فبكل]?(?:ال)?|و?لل)";
    return name !== "" && new RegExp(`${before}${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, "u").test(words);
  });
  return named.length > 0 || numeric.length > 1 ? named : numeric;
}

/** Where in a document what is asked about stands, the best places first. */
async function placesIn(document: ModelDocument, asked: string, phrases: FilePhrases): Promise<string[]> {
  const question = await readQuestion(asked);
  if (question.concepts.length === 0) return [];
  const text = {
    id: "",
    threadId: "",
    parentId: null,
    role: "user" as const,
    title: null,
    createdAt: 0,
    archived: 0,
    text: cutText(document.text, lookedThroughCharacters).replaceAll("\f", "\n\n"),
  };
  const weights = new Map(question.concepts.map(({ key }) => [key, 1]));
  const found = scorePassages(text, undefined, question, weights).filter(({ fit }) => fit >= fitLeast);
  if (found.length === 0) return [];
  const best = Math.max(...found.map(({ score }) => score));
  // What only stands near such a place is not one.
  const quotes = found
    .filter(({ score }) => score >= best / 2)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, passagesShown)
    .map(({ start, end }) => {
      const passage = text.text.slice(start, end).replace(/^\s*\n/, "");
      return verbatim(cutText(passage.trimEnd(), 500));
    });
  return [phrases.standsIn(plainMarkdown(document.name)), ...quotes];
}

function isTable({ mediaType, text }: ModelDocument): boolean {
  return /^text\/(?:csv|tab-separated-values)$/.test(mediaType) || /^--- (?:sheet|table) /.test(text);
}
