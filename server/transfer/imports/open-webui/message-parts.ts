import { isJsonObject, type Json } from "#contract/json.ts";
import { attachment } from "../other-services/attachment.ts";
import {
  setResult,
  toolCall,
  webSource,
  type ConvertedPart,
  type Skipped,
} from "../other-services/converted-messages.ts";
import { listOf, objectOf, textOf } from "../other-services/fields.ts";
import { bytesFile, bytesOfDataUrl, type ExportFiles } from "../other-services/files-of-export.ts";
import { words } from "../other-services/import-words.ts";
import { addAnswerText, addThought } from "../other-services/text-markup.ts";

type Fields = Record<string, unknown>;

/** Adds what a person wrote: a text, or blocks of texts and images. */
export function addQuestion(parts: ConvertedPart[], message: Fields, skipped: Skipped): void {
  if (typeof message.content === "string") {
    if (message.content !== "") parts.push({ type: "text", text: message.content });
    return;
  }
  for (const block of listOf(message.content).map(objectOf)) addBlock(parts, block, skipped);
}

function addBlock(parts: ConvertedPart[], block: Fields, skipped: Skipped): void {
  const bytes = bytesOfDataUrl(textOf(objectOf(block.image_url).url) || textOf(block.image_url));
  if (typeof block.text === "string") parts.push({ type: "text", text: block.text });
  else if (bytes !== undefined)
    parts.push({ type: "file-place", file: bytesFile(bytes, undefined), name: undefined, isImage: true });
  else skipped.add("unknown", textOf(block.type) || "block");
}

type Answer = { id: string; skipped: Skipped };

/** Adds an answer: the items of its output, or in older versions its text, whose marks say what the items would. */
export function addAnswer(parts: ConvertedPart[], message: Fields, { id, skipped }: Answer): void {
  const items = listOf(message.output).map(objectOf);
  for (const [index, item] of items.entries()) addItem(parts, item, { id: `${id}-${index + 1}`, skipped });
  if (parts.length === 0) {
    const texts = typeof message.content === "string" ? [message.content] : textsOf(message.content);
    addAnswerText(parts, texts.join("\n\n"), id);
  }
  for (const [index, run] of listOf(message.code_executions).map(objectOf).entries())
    addCodeRun(parts, run, `${id}-code-${index + 1}`);
  const error = errorOf(message.error);
  if (error !== "") parts.push({ type: "text", text: words.error(error) });
  parts.push(...sourcesOf(message, id));
}

function addItem(parts: ConvertedPart[], item: Fields, { id, skipped }: Answer): void {
  const type = textOf(item.type);
  switch (type) {
    case "reasoning": {
      const texts = [...textsOf(item.summary), ...textsOf(item.content)];
      return addThought(parts, texts.join("\n\n").trim(), Number(item.duration));
    }
    case "message":
      return addAnswerText(parts, textsOf(item.content).join("\n\n"), id);
    case "function_call":
      return void parts.push(toolCall(textOf(item.call_id) || id, textOf(item.name), item.arguments));
    case "function_call_output": {
      const result = typeof item.output === "string" ? item.output : textsOf(item.output).join("\n\n");
      return setResult(parts, { id: textOf(item.call_id) || id, name: "tool" }, result);
    }
    case "open_webui:code_interpreter":
      return addCodeRun(parts, item, textOf(item.id) || id);
    case "web_search_call":
    case "file_search_call":
      return void parts.push(
        toolCall(
          textOf(item.id) || id,
          type.replace(/_call$/, ""),
          item.action ?? { queries: item.queries ?? [] },
        ),
      );
    default:
      skipped.add("unknown", type || "item");
  }
}

function addCodeRun(parts: ConvertedPart[], run: Fields, id: string): void {
  const { code, lang, language, output, result } = run;
  parts.push(
    toolCall(id, "code_interpreter", { code: textOf(code), language: textOf(lang) || textOf(language) }),
  );
  const printed = output ?? result;
  if (printed != null) setResult(parts, { id, name: "code_interpreter" }, printed as Json);
}

/** The texts of blocks, whatever the blocks are called. */
function textsOf(blocks: unknown): string[] {
  return listOf(blocks).flatMap((block) => {
    const text = typeof block === "string" ? block : textOf(objectOf(block).text);
    return text === "" ? [] : [text];
  });
}

function errorOf(error: unknown): string {
  if (isJsonObject(error)) return textOf(error.content) || textOf(error.message) || textOf(error.detail);
  return textOf(error);
}

/** One source for each page or file that the answer was given, however many passages of it. */
function sourcesOf(message: Fields, id: string): ConvertedPart[] {
  const found = new Map<string, ConvertedPart>();
  for (const source of listOf(message.sources ?? message.citations).map(objectOf)) {
    const { name, url, id: sourceId } = objectOf(source.source);
    const passages = listOf(source.metadata).map(objectOf);
    for (const passage of passages.length === 0 ? [{}] : passages) {
      const place = textOf(passage.source) || textOf(url) || textOf(sourceId) || textOf(name);
      if (place === "" || found.has(place)) continue;
      const title = textOf(passage.title) || textOf(passage.name) || textOf(name);
      const [web] = [place, url].flatMap((each) =>
        webSource(`${id}-${found.size + 1}`, each, title === place ? "" : title),
      );
      found.set(place, web ?? documentSource(`${id}-${found.size + 1}`, title || place));
    }
  }
  return [...found.values()];
}

function documentSource(id: string, title: string): ConvertedPart {
  const mediaType = /\.pdf$/i.test(title) ? "application/pdf" : "text/plain";
  return { type: "source", sourceType: "document", id, title, mediaType, filename: title };
}

/** Adds the files of a message: their bytes if the export has them, or else the text that was read from them. */
export function addFiles(
  parts: ConvertedPart[],
  list: readonly unknown[],
  { id, files, skipped }: { id: string; files: ExportFiles; skipped: Skipped },
): void {
  for (const [index, file] of list.map(objectOf).entries()) {
    const type = textOf(file.type) || "file";
    const stored = objectOf(file.file);
    const name = textOf(file.name) || textOf(stored.filename) || textOf(objectOf(stored.meta).name);
    const bytes = bytesOfDataUrl(textOf(file.url));
    if (type !== "file" && type !== "image" && type !== "text" && type !== "doc") {
      skipped.add(type === "collection" || type === "note" ? "not-yet" : "unknown", type);
      continue;
    }
    if (bytes !== undefined) {
      parts.push({
        type: "file-place",
        file: bytesFile(bytes, name || undefined),
        name: name || undefined,
        isImage: type === "image",
      });
      continue;
    }
    const text = textOf(objectOf(stored.data).content) || textOf(file.content);
    const place = attachment(
      { id: idOf(file), file_name: name, extracted_content: text },
      `${id}/${index + 1}`,
      files,
    );
    parts.push({ ...place, isImage: type === "image" });
  }
}

/** The id of a file, which in some versions is only in its URL: `/api/v1/files/<id>/content`. */
function idOf(file: Fields): string {
  return textOf(file.id) || (/[0-9a-f]{8}-[0-9a-f-]{27}/i.exec(textOf(file.url))?.[0] ?? "");
}
