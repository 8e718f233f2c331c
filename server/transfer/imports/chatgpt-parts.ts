import { isJsonObject, type Json } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { addResult, listOf, objectOf, textOf } from "./foreign.ts";
import { words } from "./words.ts";

/** Adds the content of a node to the parts of its message. Returns whether there was any. */
export function addParts(parts: Part[], id: string, message: Record<string, unknown>): boolean {
  const before = parts.length;
  const content = objectOf(message.content);
  const author = objectOf(message.author);
  const metadata = objectOf(message.metadata);
  if (author.role === "tool") {
    const result = resultOf(content);
    if (result !== "") addResult(parts, { id, name: textOf(author.name) || "tool" }, result);
    return result !== "";
  }
  const recipient = textOf(message.recipient);
  if (author.role === "assistant" && recipient !== "" && recipient !== "all") {
    const argsText = wordsOf(content).join("\n\n");
    parts.push({ type: "tool-call", toolCallId: id, toolName: recipient, argsText, ...argsOf(argsText) });
    return true;
  }
  switch (textOf(content.content_type)) {
    case "thoughts":
      for (const thought of listOf(content.thoughts).map(objectOf)) {
        const text = [textOf(thought.summary), textOf(thought.content)]
          .filter((each) => each !== "")
          .join("\n\n");
        if (text !== "") parts.push({ type: "reasoning", text });
      }
      break;
    // The thinking time and the custom instructions are not part of the conversation.
    case "reasoning_recap":
    case "user_editable_context":
    case "model_editable_context":
      break;
    case "code":
      parts.push({
        type: "text",
        text: `\`\`\`${textOf(content.language)}\n${textOf(content.text)}\n\`\`\``,
      });
      break;
    default: {
      const references = listOf(metadata.content_references).map(objectOf);
      const text = withoutMarks(wordsOf(content).join("\n\n"), references);
      if (text.trim() !== "") parts.push({ type: "text", text });
      parts.push(...sourcesOf(references, id));
    }
  }
  for (const file of listOf(metadata.attachments).map(objectOf))
    parts.push({ type: "text", text: words.missingFile(textOf(file.name) || words.file) });
  return parts.length > before;
}

/** The texts of any content. */
function wordsOf(content: Record<string, unknown>): string[] {
  if (typeof content.text === "string") return [content.text];
  return listOf(content.parts).flatMap((part) => {
    if (typeof part === "string") return part === "" ? [] : [part];
    const { content_type: type, text } = objectOf(part);
    if (typeof text === "string") return [text];
    return /image/.test(textOf(type)) ? [words.missingFile(words.image)] : [];
  });
}

function resultOf(content: Record<string, unknown>): Json {
  const result = [textOf(content.title), textOf(content.url), textOf(content.result), ...wordsOf(content)];
  return result.filter((each) => each !== "").join("\n");
}

function argsOf(argsText: string): { args?: Record<string, Json> } {
  try {
    const args: unknown = JSON.parse(argsText);
    return isJsonObject(args) ? { args } : {};
  } catch {
    return {};
  }
}

/** Replaces citation marks, which are private-use characters, by the text that ChatGPT displays. */
function withoutMarks(text: string, references: Record<string, unknown>[]): string {
  let clean = text;
  for (const { matched_text: mark, alt } of references)
    if (typeof mark === "string" && mark.includes("\uE200"))
      clean = clean.replaceAll(mark, () => textOf(alt));
  return clean.replaceAll(/\uE200[^\uE201]*\uE201/g, "");
}

function sourcesOf(references: Record<string, unknown>[], id: string): Part[] {
  const found = new Map<string, string>();
  for (const reference of references)
    for (const { url, title } of [reference, ...listOf(reference.items).map(objectOf)])
      if (typeof url === "string" && URL.canParse(url)) found.set(url, found.get(url) || textOf(title));
  return [...found].map(([url, title], index) => ({
    type: "source",
    sourceType: "url",
    id: `${id}-${index + 1}`,
    url,
    ...(title === "" ? {} : { title }),
  }));
}
