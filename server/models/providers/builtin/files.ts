import { cutText } from "#contract/text.ts";
import { readQuestion } from "#server/search/passages/question.ts";
import { scorePassages } from "#server/search/passages/score.ts";
import { reasons, sizeWords } from "#server/parts/file-words.ts";
import type { ModelDocument, ModelUserPart } from "../../model.ts";
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
};

/**
 * What can be said of files without a language model: what came, how it begins, what its columns add up to, and the
 * places where what is asked about stands. `undefined` where there is nothing to say.
 */
export async function aboutFiles({ parts, isEarlier, question }: AboutFiles): Promise<string | undefined> {
  const documents = parts.filter((part) => part.type === "document");
  const figures = documents.flatMap((document) => figuresOf(document, question));
  if (figures.length > 0) return figures.join("\n");
  const places = (await Promise.all(documents.map((document) => placesIn(document, question)))).flat();
  if (places.length > 0) return places.join("\n\n");
  if (isEarlier) return undefined;
  const described = parts.flatMap(describe);
  return described.length === 0 ? undefined : described.join("\n\n");
}

function describe(part: ModelUserPart): string[] {
  if (part.type === "unread-file")
    return [
      `**${plain(part.name)}** (${[part.mediaType, ...(part.sizeBytes === undefined ? [] : [sizeWords(part.sizeBytes)])].join(", ")}): ${reasons[part.reason].replace(/^you cannot be given/, "I cannot read")}.`,
    ];
  if (part.type !== "document") return [];
  const tables = isTable(part) ? tablesOf(part.text) : [];
  const shape = tables.map(
    ({ name, columns, rows }) =>
      `${name === undefined ? "" : `*${plain(name)}*: `}${count(rows.length, "row")}, ${count(columns.length, "column")} (${columns.slice(0, 12).map(plain).join(", ")}${columns.length > 12 ? ", …" : ""})`,
  );
  const facts = [
    part.mediaType,
    sizeWords(part.sizeBytes),
    ...(part.pages === undefined ? [] : [count(part.pages, "page")]),
    ...(part.isCut === true ? ["I have its beginning"] : []),
  ].join(", ");
  return [
    [`**${plain(part.name)}** (${facts})`, ...shape.map((line) => `- ${line}`), firstLines(part.text)]
      .filter((line) => line !== "")
      .join("\n\n"),
  ];
}

function firstLines(text: string): string {
  const lines = text
    .split(/[\n\f]/)
    .filter((line) => line.trim() !== "")
    .slice(0, 6)
    .map((line) => cutText(line, 160));
  if (lines.length === 0) return "There is no text in it.";
  // Longer than any row of the same in the text, so that nothing in it ends the block.
  const fence = "`".repeat(
    Math.max(3, ...[...lines.join("\n").matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return `It begins:\n\n${fence}text\n${lines.join("\n")}\n${fence}`;
}

const wishes = [
  { word: /\b(?:sum|total|add up|altogether)\b/i, name: "sum" },
  { word: /\b(?:average|mean)\b/i, name: "average" },
  { word: /\b(?:min(?:imum)?|smallest|lowest|least)\b/i, name: "smallest" },
  { word: /\b(?:max(?:imum)?|largest|highest|biggest|most)\b/i, name: "largest" },
] as const;

/** Sums and the like of the columns that the question names, or of the one that has numbers. */
function figuresOf(document: ModelDocument, question: string): string[] {
  const wanted = wishes.filter(({ word }) => word.test(question));
  if (wanted.length === 0 || !isTable(document)) return [];
  return tablesOf(document.text).flatMap((table) =>
    columnsMeant(table, question).flatMap((column) => {
      const { values, without } = numbersOf(table, column);
      const where = `**${plain(table.columns[column]!)}** in *${plain(table.name ?? document.name)}*`;
      const left = [
        ...(without === 0 ? [] : [`${count(without, "row")} without a number`]),
        ...(document.isCut === true ? ["of the file's beginning alone"] : []),
      ];
      const note = left.length === 0 ? "" : `; ${left.join(", ")}`;
      return wanted.map(
        ({ name }) =>
          `- The ${name} of ${where} is **${figure(name, values)}** (${count(values.length, "number")}${note}).`,
      );
    }),
  );
}

function figure(name: (typeof wishes)[number]["name"], values: Parameters<typeof sumOf>[0]): string {
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
    const name = table.columns[at]!.toLowerCase();
    return (
      name !== "" &&
      new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, "u").test(words)
    );
  });
  return named.length > 0 || numeric.length > 1 ? named : numeric;
}

/** Where in a document what is asked about stands, the best places first. */
async function placesIn(document: ModelDocument, asked: string): Promise<string[]> {
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
    .map(({ start, end }) => quoted(cutText(text.text.slice(start, end).trim(), 500)));
  return [`This stands in **${plain(document.name)}**:`, ...quotes];
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line.replace(/([\\`*_[\]<>#~|])/g, "\\$1")}`)
    .join("\n");
}

function isTable({ mediaType, text }: ModelDocument): boolean {
  return /^text\/(?:csv|tab-separated-values)$/.test(mediaType) || /^--- (?:sheet|table) /.test(text);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function plain(text: string): string {
  return text.replace(/[*_`~#>[\]<|\\\s]+/g, " ").trim();
}
