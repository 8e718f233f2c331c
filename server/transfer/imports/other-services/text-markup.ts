import { setResult, toolCall, type ConvertedPart } from "./converted-messages.ts";

/**
 * What chat products write into the text of an answer because their format has no place for it: thoughts, tool calls and
 * documents. Each is found by its opening mark and reaches to its closing mark, or to the end of a text that was cut off.
 */
const markup = new RegExp(
  [
    String.raw`<(?<thinking>think|thinking|thought|lobeThinking)>(?<thought>[^]*?)(?:</\k<thinking>>|$)`,
    String.raw`:::thinking\n(?<block>[^]*?)(?:\n:::|$)`,
    String.raw`<details(?<details>\s[^<>]*\btype="(?:reasoning|tool_calls|code_interpreter)"[^<>]*)>(?<inner>[^]*?)(?:</details>|$)`,
    String.raw`<lobeArtifact(?<attributes>\s[^<>]{0,2000})>(?<artifact>[^]*?)(?:</lobeArtifact>|$)`,
    String.raw`:::artifact\{(?<facts>[^{}\n]{0,2000})\}\n(?<written>[^]*?)(?:\n:::|$)`,
  ].join("|"),
  "g",
);

/** Adds the text of an answer, with what its marks say as parts. `id` is part of the ids of calls and documents. */
export function addAnswerText(parts: ConvertedPart[], text: string, id: string): void {
  let from = 0;
  for (const match of text.matchAll(markup)) {
    addPlain(parts, text.slice(from, match.index));
    from = match.index + match[0].length;
    const { thought, block, details, inner = "", attributes, artifact, facts, written } = match.groups!;
    const thoughts = (thought ?? block)?.trim();
    if (thoughts !== undefined) addThought(parts, thoughts);
    else if (details !== undefined) addDetails(parts, details, inner, `${id}-${from}`);
    else {
      const of = (name: string) => attribute(attributes ?? facts ?? "", name);
      const document = {
        id: of("identifier") || `${id}-${from}`,
        title: of("title"),
        ...codeOf(artifact ?? written ?? "", of),
      };
      parts.push({ type: "document", document });
    }
  }
  if (from === 0 && text.trim() !== "") parts.push({ type: "text", text });
  else addPlain(parts, text.slice(from));
}

function addPlain(parts: ConvertedPart[], text: string): void {
  const trimmed = text.trim();
  if (trimmed !== "") parts.push({ type: "text", text: trimmed });
}

export function addThought(parts: ConvertedPart[], text: string, seconds?: number): void {
  if (text === "") return;
  parts.push({ type: "reasoning", text });
  setThoughtTime(parts, seconds);
}

/** How long the model thought, until the last of its thoughts. */
export function setThoughtTime(parts: ConvertedPart[], seconds?: number): void {
  const thought = parts.findLast((part) => part.type === "reasoning");
  if (thought !== undefined && seconds !== undefined && Number.isFinite(seconds) && seconds > 0)
    thought.providerMetadata = { parlance: { durationMs: Math.round(seconds * 1_000) } };
}

/** Open WebUI's folded blocks. */
function addDetails(parts: ConvertedPart[], attributes: string, inner: string, id: string): void {
  const body = inner.replace(/^\s*<summary>[^]*?<\/summary>/, "").trim();
  const of = (name: string) => attribute(attributes, name);
  if (of("type") === "reasoning") {
    const text = unescapeHtml(body).replaceAll(/^> ?/gm, "");
    return addThought(parts, text, Number(of("duration")));
  }
  if (of("type") === "tool_calls") {
    const call = { id: of("id") || id, name: of("name") };
    parts.push(toolCall(call.id, call.name, textInJson(of("arguments"))));
    const result = textInJson(of("result"));
    if (result !== "") setResult(parts, call, result);
    return;
  }
  const code = unescapeHtml(body.replace(/^```\w*\n/, "").replace(/\n?```$/, ""));
  parts.push(toolCall(id, "code_interpreter", { code }));
  const output = textInJson(of("output"));
  if (output !== "") setResult(parts, { id, name: "code_interpreter" }, output);
}

/** The code of an artifact, without the fence around it. */
function codeOf(text: string, of: (name: string) => string): { language: string; content: string } {
  const fence = /^\s*(?<marks>`{3,})(?<language>[^\n`]*)\n(?<code>[^]*?)\n\k<marks>\s*$/.exec(text)?.groups;
  const type = of("type");
  const language = fence?.["language"] || of("language") || languages[type] || "text";
  const content = fence?.["code"] ?? text.replace(/^\n/, "");
  return { language: type === "text/markdown" ? "" : language, content };
}

const languages: Record<string, string> = {
  "text/html": "html",
  "image/svg+xml": "svg",
  "application/vnd.mermaid": "mermaid",
  "application/vnd.react": "jsx",
  "application/lobe.artifacts.react": "jsx",
  "application/lobe.artifacts.mermaid": "mermaid",
};

function attribute(attributes: string, name: string): string {
  return unescapeHtml(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

/** Attributes often have JSON inside of JSON. */
function textInJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : all;
  });
}
