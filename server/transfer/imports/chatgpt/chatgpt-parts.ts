import { isJsonObject, parseJson, type Json } from "#contract/json.ts";
import type { DocumentBudget, Documents } from "../other-services/documents.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";
import {
  addResult,
  type FilePlace,
  type ConvertedPart,
  type Skipped,
} from "../other-services/converted-messages.ts";
import { words } from "../other-services/import-words.ts";
import { addThought, setThoughtTime } from "../other-services/text-markup.ts";
import { assetsOf, type Assets } from "./assets.ts";
import { isCanvasTool, showCanvas } from "./canvas.ts";
import { sourcesOf, withoutMarks } from "./chatgpt-citations.ts";

type Fields = Record<string, unknown>;

/** What the nodes of a conversation share. */
export type Conversation = { files: ExportFiles; skipped: Skipped; budget: DocumentBudget };

/**
 * Adds the content of a node to the parts of its message. Returns the branch's documents after it; `undefined`: the
 * node has no content.
 */
export function addParts(
  parts: ConvertedPart[],
  { id, message, documents }: { id: string; message: Fields; documents: Documents },
  { files, skipped, budget }: Conversation,
): Documents | undefined {
  const before = parts.length;
  const content = objectOf(message.content);
  const { role, name } = objectOf(message.author);
  const metadata = objectOf(message.metadata);
  const assets = assetsOf(id, metadata, files);
  if (role === "tool") {
    // What a canvas tool answers is only that it worked.
    if (isCanvasTool(textOf(name)) && parts.some(({ type }) => type === "document")) return documents;
    const result = resultOf(content);
    const shown = [...partsOf(content).flatMap((part) => assets.ofPart(part)), ...assets.ofRun()];
    if (result === "" && shown.length === 0) return undefined;
    addResult(parts, { id, name: textOf(name) || "tool" }, result);
    parts.push(...shown);
    return documents;
  }
  const recipient = textOf(message.recipient);
  if (role === "assistant" && recipient !== "" && recipient !== "all") {
    const argsText = wordsOf(content).join("\n\n");
    const shown = isCanvasTool(recipient)
      ? showCanvas(recipient, argsText, { id, parts, documents, budget })
      : undefined;
    if (shown !== undefined) return shown;
    parts.push({ type: "tool-call", toolCallId: id, toolName: recipient, argsText, ...argsOf(argsText) });
    return documents;
  }
  switch (textOf(content.content_type)) {
    case "thoughts":
      addThought(parts, textOf(content.thoughts));
      for (const thought of listOf(content.thoughts).map(objectOf)) {
        const texts = [textOf(thought.summary), textOf(thought.content)];
        addThought(parts, texts.filter((each) => each !== "").join("\n\n"));
      }
      break;
    case "reasoning_recap":
      setThoughtTime(parts, Number(metadata.finished_duration_sec));
      break;
    case "user_editable_context":
    case "model_editable_context":
      if (hasText(content)) skipped.add("hidden", "instructions");
      break;
    case "code":
      parts.push({
        type: "text",
        text: `\`\`\`${textOf(content.language)}\n${textOf(content.text)}\n\`\`\``,
      });
      break;
    default:
      addContent(parts, content, { metadata, assets, files, skipped, isAnswer: role === "assistant" });
      parts.push(...sourcesOf(metadata, id));
  }
  parts.push(...assets.rest());
  return parts.length > before ? documents : undefined;
}

/** Whether content that is hidden, or of an unknown type, has any text. */
export function hasText(content: Fields): boolean {
  return Object.entries(content).some(
    ([key, value]) =>
      key !== "content_type" &&
      [value, ...listOf(value)].some((each) => typeof each === "string" && each.trim() !== ""),
  );
}

/** Adds texts and files in their order. */
function addContent(
  parts: ConvertedPart[],
  content: Fields,
  node: { metadata: Fields; assets: Assets; files: ExportFiles; skipped: Skipped; isAnswer: boolean },
): void {
  const { metadata, assets, files, skipped, isAnswer } = node;
  const before = parts.length;
  let texts: string[] = [];
  const endText = () => {
    const joined = texts.join("\n\n");
    texts = [];
    const { text, linked } = isAnswer
      ? withoutLinks(withoutMarks(joined, metadata), assets, files)
      : { text: joined, linked: [] };
    if (text.trim() !== "") parts.push({ type: "text", text });
    parts.push(...linked);
  };
  for (const part of typeof content.text === "string" ? [content.text] : listOf(content.parts)) {
    if (typeof part === "string") {
      if (part !== "") texts.push(part);
      continue;
    }
    const fields = objectOf(part);
    const shown = assets.ofPart(fields);
    if (typeof fields.text === "string") texts.push(fields.text);
    else if (shown.length === 0 && isJsonObject(part))
      skipped.add("unknown", textOf(fields.content_type) || "part");
    if (shown.length > 0) endText();
    parts.push(...shown);
  }
  endText();
  const type = textOf(content.content_type);
  if (parts.length === before && type !== "multimodal_text" && hasText(content))
    skipped.add("unknown", type || "content");
}

/** Removes links and marks of files on ChatGPT's machine. The text keeps the label, and the file is added after it. */
function withoutLinks(
  text: string,
  assets: Assets,
  files: ExportFiles,
): { text: string; linked: FilePlace[] } {
  const linked: FilePlace[] = [];
  const clean = text
    .replaceAll(/\[([^[\]\n]{1,500})\]\(sandbox:([^()\s]{1,500})\)/g, (_, label: string, path: string) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (!linked.some((place) => place.name === name))
        linked.push({ type: "file-place", file: files.find("", name), name, isImage: false });
      return label;
    })
    .replaceAll(/\{\{file:(file[-_][A-Za-z0-9]{1,100})\}\}/g, (_, fileId: string) => {
      const place = assets.named(fileId);
      if (place !== undefined) linked.push(place);
      return place?.name ?? words.file;
    });
  return { text: clean, linked };
}

function partsOf(content: Fields): Fields[] {
  return [content, ...listOf(content.parts), ...listOf(content.assets)].map(objectOf);
}

/** The texts of any content. */
function wordsOf(content: Fields): string[] {
  if (typeof content.text === "string") return [content.text];
  return listOf(content.parts).flatMap((part) => {
    if (typeof part === "string") return part === "" ? [] : [part];
    const { text } = objectOf(part);
    return typeof text === "string" ? [text] : [];
  });
}

function resultOf(content: Fields): Json {
  const { title, url, result, output_str: output } = content;
  const texts = [textOf(title), textOf(url), textOf(result), textOf(output), ...wordsOf(content)];
  return texts.filter((each) => each !== "").join("\n");
}

function argsOf(argsText: string): { args?: Record<string, Json> } {
  const args = parseJson(argsText);
  return isJsonObject(args) ? { args } : {};
}
