import type { Part, PartKind, PartOf } from "#contract/parts/kinds.ts";
import { filesNamedIn } from "#server/files/serving/addresses.ts";
import { contained, details, fenced, folded, inline, linkTarget } from "./markdown-text.ts";
import { words } from "./words.ts";

/** A part as it is read in a Markdown export; sources stand together at the end of their message. */
export function partMarkdown(part: Part, places: Places): string {
  return (views[part.type] as (part: Part, places: Places) => string)(part, places);
}

/** Where files lie beside the Markdown, by their ids. */
type Places = ReadonlyMap<string, string>;

const views: { [K in PartKind]: (part: PartOf<K>, places: Places) => string } = {
  text: ({ text }) => contained(text.trim()),
  reasoning: ({ text }) => (text.trim() === "" ? "" : folded(words.reasoning, text.trim())),
  source: (part) => {
    const name = inline((part.sourceType === "url" ? part.title : part.title || part.filename) || part.id);
    const target = part.sourceType === "url" ? linkTarget(part.url) : undefined;
    if (target !== undefined && part.sourceType === "url")
      return `[${inline(part.title || part.url)}](${target})`;
    return part.sourceType === "url" ? inline(part.title || part.url) : name;
  },
  image: (part, places) => addressed(words.image, part.filename, targetOf(part.image, places), "!"),
  file: (part, places) =>
    part.mimeType.startsWith("image/")
      ? addressed(words.image, part.filename, targetOf(part.data, places), "!")
      : addressed(words.file, part.filename, targetOf(part.data, places)),
  audio: () => words.inline(words.audio),
  "tool-call": (part) =>
    details(
      `${words.tool}: ${part.toolName}`,
      [
        `${words.arguments}:`,
        fenced(part.args === undefined ? part.argsText || "{}" : pretty(part.args), "json"),
        ...(part.result === undefined ? [] : [`${words.result}:`, resultOf(part.result)]),
        ...(part.isError === true ? [words.failed] : []),
      ].join("\n\n"),
    ),
  data: (part) => details(`${words.data}: ${part.name}`, fenced(pretty(part.data), "json")),
};

function targetOf(address: string, places: Places): string | undefined {
  const [named] = address.startsWith("data:") ? [] : filesNamedIn(address);
  const place = places.get(named?.id ?? "");
  return place === undefined ? linkTarget(address) : `<${encodeURI(place)}>`;
}

function addressed(
  kind: string,
  filename: string | undefined,
  target: string | undefined,
  mark = "",
): string {
  const name = filename === undefined || filename === "" ? kind : `${kind}: ${filename}`;
  return target === undefined ? `*${inline(words.inline(name))}*` : `${mark}[${inline(name)}](${target})`;
}

function resultOf(result: unknown): string {
  return typeof result === "string" ? fenced(result) : fenced(pretty(result), "json");
}

function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "";
}
