import type { UnreadReason } from "#contract/unread-files.ts";
import { reasons, sizeWords } from "#server/parts/file-words.ts";
import { lack, remedy, type Situation } from "../connect.ts";

export type FigureName = "sum" | "average" | "smallest" | "largest";

/** A table as it is told: all its columns are counted, the first few named. `name`: of a sheet, else none. */
export type Shape = { name: string | undefined; rows: number; columns: number; named: string };

/** A figure of a column, written out, of `numbers` rows; the others have no number there. */
export type ToldFigure = {
  what: FigureName;
  column: string;
  table: string;
  value: string;
  numbers: number;
  without: number;
  isOfBeginning: boolean;
};

/** How a language tells of files. Names come ready for Markdown. */
export type FilePhrases = {
  /** What a question asks of a column, by the words it uses. */
  wishes: readonly { word: RegExp; name: FigureName }[];
  file(name: string, facts: { mediaType: string; sizeBytes: number; pages?: number; isCut: boolean }): string;
  unread(name: string, facts: { mediaType: string; sizeBytes?: number; reason: UnreadReason }): string;
  shape(shape: Shape): string;
  /** Between the things of a list. */
  comma: string;
  noText: string;
  begins: string;
  figure(figure: ToldFigure): string;
  standsIn(name: string): string;
  /** Ends whatever was said of files. */
  withoutModel(situation: Situation, told: boolean): string;
};

export const inEnglish: FilePhrases = {
  wishes: [
    { word: /\b(?:sum|total|add up|altogether)\b/i, name: "sum" },
    { word: /\b(?:average|mean)\b/i, name: "average" },
    { word: /\b(?:min(?:imum)?|smallest|lowest|least)\b/i, name: "smallest" },
    { word: /\b(?:max(?:imum)?|largest|highest|biggest|most)\b/i, name: "largest" },
  ],

  file(name, { mediaType, sizeBytes, pages, isCut }) {
    const facts = [
      mediaType,
      sizeWords(sizeBytes),
      ...(pages === undefined ? [] : [count(pages, "page")]),
      ...(isCut ? ["I have its beginning"] : []),
    ];
    return `**${name}** (${facts.join(", ")})`;
  },

  unread(name, { mediaType, sizeBytes, reason }) {
    const facts = [mediaType, ...(sizeBytes === undefined ? [] : [sizeWords(sizeBytes)])];
    const why = reasons[reason].replace(/^you cannot be given/, "I cannot read");
    return `**${name}** (${facts.join(", ")}): ${why}.`;
  },

  shape({ name, rows, columns, named }) {
    const whose = name === undefined ? "" : `*${name}*: `;
    return `${whose}${count(rows, "row")}, ${count(columns, "column")} (${named})`;
  },

  comma: ", ",
  noText: "There is no text in it.",
  begins: "It begins:",

  figure({ what, column, table, value, numbers, without, isOfBeginning }) {
    const left = [
      ...(without === 0 ? [] : [`${count(without, "row")} without a number`]),
      ...(isOfBeginning ? ["of the file's beginning alone"] : []),
    ];
    const note = left.length === 0 ? "" : `; ${left.join(", ")}`;
    return `The ${what} of **${column}** in *${table}* is **${value}** (${count(numbers, "number")}${note}).`;
  },

  standsIn: (name) => `This stands in **${name}**:`,

  withoutModel: (situation, told) =>
    `This is what can be read off without a language model, and ${lack(situation)}. ${remedy(situation, told)}`,
};

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
