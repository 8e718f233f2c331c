import { fenced } from "#server/parts/markdown-text.ts";
import {
  showDocument,
  spend,
  withDocument,
  type DocumentBudget,
  type Documents,
  type ConvertedDocument,
} from "../other-services/documents.ts";
import { textOf } from "../other-services/fields.ts";
import type { ConvertedPart } from "../other-services/converted-messages.ts";
import { words } from "../other-services/import-words.ts";

type Fields = Record<string, unknown>;
type Branch = { id: string; parts: ConvertedPart[]; documents: Documents; budget: DocumentBudget };

/**
 * Shows what a tool call does with an artifact or a file, and returns the branch's documents after it. `undefined`: it
 * is another tool.
 */
export function showArtifact(name: string, input: Fields, branch: Branch): Documents | undefined {
  const { path, file_text: text } = input;
  if (name === "create_file" && typeof path === "string" && typeof text === "string")
    return shown(branch, { id: path, title: path, language: languageOfPath(path), content: text });
  if (name === "str_replace" && typeof path === "string") return replaced(path, input, branch);
  if (name !== "artifacts") return undefined;
  const id = textOf(input.id) || branch.id;
  if (input.command === "update") return replaced(id, input, branch);
  if (typeof input.content !== "string") return undefined;
  const before = branch.documents.get(id);
  const type = textOf(input.type);
  return shown(branch, {
    id,
    title: textOf(input.title) || (before?.title ?? id),
    language:
      type === "" && before !== undefined ? before.language : languageOf(type, textOf(input.language)),
    content: input.content,
  });
}

function shown({ parts, documents }: Branch, document: ConvertedDocument): Documents {
  showDocument(parts, document);
  return withDocument(documents, document);
}

function replaced(
  id: string,
  { old_str: old, new_str: next }: Fields,
  branch: Branch,
): Documents | undefined {
  const { parts, documents, budget } = branch;
  const before = documents.get(id);
  if (typeof old !== "string" || typeof next !== "string") return undefined;
  if (before?.content.includes(old) === true && spend(budget, before.content.length + next.length))
    return shown(branch, { ...before, content: before.content.replace(old, () => next) });
  const text = `### ${words.change(before?.title ?? id)}\n\n${fenced(next, before?.language || "text")}`;
  parts.push({ type: "text", text });
  return documents;
}

/** Artifacts that are in the text itself, as Claude wrote them in 2024, and the thoughts before them. */
const inText =
  /<antArtifact\b(?<attributes>[^<>]{0,2000})>(?<content>[^]*?)(?:<\/antArtifact>|$)|<antThinking>(?<thought>[^]*?)(?:<\/antThinking>|$)/g;

/** Adds a text, with its artifacts as documents. Returns the branch's documents after it. */
export function addText(text: string, branch: Branch): Documents {
  const { id, parts } = branch;
  let { documents } = branch;
  let from = 0;
  const addPlain = (until: number) => {
    const plain = text.slice(from, until);
    if (plain.trim() !== "") parts.push({ type: "text", text: plain });
  };
  for (const match of text.matchAll(inText)) {
    addPlain(match.index);
    from = match.index + match[0].length;
    const { attributes = "", content = "", thought } = match.groups!;
    if (thought !== undefined) {
      if (thought.trim() !== "") parts.push({ type: "reasoning", text: thought.trim() });
      continue;
    }
    const attribute = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
    documents = shown(
      { ...branch, documents },
      {
        id: attribute("identifier") || `${id}-${from}`,
        title: attribute("title"),
        language: languageOf(attribute("type"), attribute("language")),
        content: content.replace(/^\n/, ""),
      },
    );
  }
  addPlain(text.length);
  return documents;
}

/** The language of an artifact; empty for Markdown. */
function languageOf(type: string, language: string): string {
  if (type === "text/markdown") return "";
  if (language !== "") return language;
  const known: Record<string, string> = {
    "text/html": "html",
    "image/svg+xml": "svg",
    "application/vnd.ant.react": "jsx",
    "application/vnd.ant.mermaid": "mermaid",
  };
  return known[type] ?? "text";
}

function languageOfPath(path: string): string {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? "text";
  return extension === "md" || extension === "markdown" ? "" : extension;
}
