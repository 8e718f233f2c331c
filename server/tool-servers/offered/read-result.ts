import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "#contract/json.ts";
import { citedUrlCharactersMax, ToolError, type Citable } from "#server/tools/tool.ts";

import { plainText } from "#server/tools/results/bound-result.ts";

/** What a model reads of one result: a few pages. */
const textCharacters = 100_000;
const linksMax = 20;

/** What a call returned: for the model, and links that can be sources of the answer. Throws `ToolError` for a failed call. */
export function readResult({ content, structuredContent, isError }: CallToolResult): {
  result: Json;
  links: Citable[];
} {
  const texts: string[] = [];
  const links: Citable[] = [];
  for (const block of content) {
    const link = linkOf(block);
    if (link !== undefined && links.length < linksMax) links.push(link);
    texts.push(textOf(block));
  }
  const text = bounded(texts.filter((each) => each !== "").join("\n\n"));
  if (isError === true) throw new ToolError(text || "The tool server reported an error without a message.");
  if (structuredContent === undefined) return { result: text, links };
  const structured = structuredContent as JsonObject;
  const json = JSON.stringify(structured);
  // Most servers repeat the structure as text.
  const isRepeated = text === "" || isSameJson(text, json);
  const data = json.length > textCharacters ? bounded(json) : structured;
  return { result: isRepeated ? data : { text, data }, links };
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return plainText(block.text);
    case "image":
    case "audio":
      return `[${block.type === "image" ? "A picture" : "Sound"} of the type ${plainText(block.mimeType)}, which cannot be shown here]`;
    case "resource_link":
      return plainText(
        `[${block.title ?? block.name}](${block.uri})${block.description === undefined ? "" : `: ${block.description}`}`,
      );
    case "resource": {
      const { resource } = block;
      return "text" in resource
        ? `${plainText(resource.uri)}\n\n${plainText(resource.text)}`
        : `[A file of the type ${plainText(resource.mimeType ?? "application/octet-stream")}: ${plainText(resource.uri)}]`;
    }
    default:
      return "";
  }
}

function linkOf(block: ContentBlock): Citable | undefined {
  if (block.type !== "resource_link" || !/^https?:\/\//i.test(block.uri)) return undefined;
  if (block.uri.length > citedUrlCharactersMax || !URL.canParse(block.uri)) return undefined;
  return { url: new URL(block.uri).href, title: plainText(block.title ?? block.name).slice(0, 200) };
}

function bounded(text: string): string {
  return text.length <= textCharacters
    ? text
    : `${text.slice(0, textCharacters)}\n\n[${text.length - textCharacters} characters more were left out]`;
}

function isSameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
