import { parseJson } from "#contract/json.ts";
import { fenced } from "#server/parts/markdown-text.ts";
import {
  showDocument,
  spend,
  withDocument,
  type DocumentBudget,
  type Documents,
  type ConvertedDocument,
} from "../other-services/documents.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";
import type { ConvertedPart } from "../other-services/converted-messages.ts";
import { words } from "../other-services/import-words.ts";

/** Whether a message is for or from the tool that writes a canvas. */
export const isCanvasTool = (name: string): boolean => /^canmore\.(?:create|update)_textdoc$/.test(name);

/**
 * Shows what a message for the canvas does, and returns the branch's documents after it. `undefined`: the message is
 * not known.
 */
export function showCanvas(
  recipient: string,
  argsText: string,
  {
    id,
    parts,
    documents,
    budget,
  }: {
    id: string;
    parts: ConvertedPart[];
    documents: Documents;
    budget: DocumentBudget;
  },
): Documents | undefined {
  const args = objectOf(parseJson(argsText));
  if (recipient === "canmore.create_textdoc") {
    if (typeof args.content !== "string") return undefined;
    const document: ConvertedDocument = {
      id,
      title: textOf(args.name),
      language: languageOf(textOf(args.type)),
      content: args.content,
    };
    showDocument(parts, document);
    return withDocument(documents, document);
  }
  const updates = listOf(args.updates).map(objectOf);
  const current = [...documents.values()].at(-1);
  if (updates.length === 0 || updates.some(({ replacement }) => typeof replacement !== "string"))
    return undefined;
  let document = current;
  const left: string[] = [];
  for (const update of updates) {
    const next = document === undefined ? undefined : updated(document, update, budget);
    if (next === undefined) left.push(textOf(update.replacement));
    else document = next;
  }
  if (document !== undefined && document !== current) showDocument(parts, document);
  const language = current?.language || "markdown";
  if (left.length > 0)
    parts.push({
      type: "text",
      text: [
        `### ${words.change(current?.title ?? "")}`,
        ...left.map((replacement) => fenced(replacement, language)),
      ].join("\n\n"),
    });
  return document === undefined ? documents : withDocument(documents, document);
}

/**
 * Applies an update; `undefined`: it cannot be applied. Patterns are Python's regular expressions. Only those for the
 * whole text and for a literal text are applied: any other could take forever.
 */
function updated(
  document: ConvertedDocument,
  update: Record<string, unknown>,
  budget: DocumentBudget,
): ConvertedDocument | undefined {
  const pattern = textOf(update.pattern);
  const replacement = textOf(update.replacement);
  if (/^(?:\(\?s\))?\^?\.\*\$?$/.test(pattern) || pattern === String.raw`[\s\S]*`)
    return { ...document, content: replacement };
  const literal = literalOf(pattern);
  if (literal === undefined || /\\(?:\d|g<)/.test(replacement)) return undefined;
  const { content: before } = document;
  if (!before.includes(literal) || !spend(budget, before.length)) return undefined;
  const pieces = update.multiple === true ? before.split(literal).length - 1 : 1;
  if (!spend(budget, pieces * replacement.length)) return undefined;
  const content =
    update.multiple === true
      ? before.replaceAll(literal, () => replacement)
      : before.replace(literal, () => replacement);
  return { ...document, content };
}

/** The text that a pattern matches, if it matches only one. */
function literalOf(pattern: string): string | undefined {
  let literal = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (/[.^$*+?{}[\]|()]/.test(character)) return undefined;
    if (character !== "\\") literal += character;
    else {
      const escaped = pattern[++at];
      if (escaped === "n") literal += "\n";
      else if (escaped === "t") literal += "\t";
      else if (escaped === undefined || /[A-Za-z0-9]/.test(escaped)) return undefined;
      else literal += escaped;
    }
  }
  return literal === "" ? undefined : literal;
}

function languageOf(type: string): string {
  const language = /^code\/(.+)$/.exec(type)?.[1] ?? "";
  return language === "react" ? "jsx" : language === "other" ? "text" : language;
}
