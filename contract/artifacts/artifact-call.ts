import { fenceAround } from "./fenced.ts";

/** The name of the tool that makes artifacts (`server/tools/artifacts/`). */
export const artifactTool = "artifact";

/** What a fence's line says of an artifact that a tool made. Without a language, the title would be read as one. */
export function artifactInfo(language: string, title: string): string {
  return `${language === "" ? "text" : language} title="${title}"`;
}

/** Characters of a title. */
const titleMax = 120;

/** A title that can stand in the line of a fence; empty without one. */
export function fenceTitle(title: string): string {
  return title.replaceAll(/["`]/g, "'").replaceAll(/\s+/g, " ").trim().slice(0, titleMax).toWellFormed();
}

/** Whether a language can stand in the line of a fence. */
export function isFenceLanguage(language: string): boolean {
  return /^[\w+#.-]{1,40}$/.test(language);
}

/**
 * What a call that makes an artifact has written so far: a fenced block without its end, as an answer has it when the model
 * writes the block itself. `undefined` before the content begins, and for a call that changes an artifact. `openName` is
 * the argument that is still being written: the content counts from its beginning, other arguments only once they are
 * complete. `before`: the texts of the answer. After a block with its title, the call makes its next version.
 */
export function blockOfCall(
  args: { [name: string]: unknown },
  { openName, before = [] }: { openName?: string | undefined; before?: readonly string[] } = {},
): string | undefined {
  const { action, content } = args;
  if (typeof content !== "string" || content === "" || action === "update") return undefined;
  const textOf = (name: string): string => {
    const value = name === openName ? undefined : args[name];
    return typeof value === "string" ? value : "";
  };
  const title = fenceTitle(textOf("title"));
  const language = isFenceLanguage(textOf("language")) ? textOf("language") : "";
  const isVersion = before.some((text) => text.includes(`title="${title}"`));
  const info = title === "" ? language : `${artifactInfo(language, title)}${isVersion ? " update" : ""}`;
  return `${fenceAround(content, "```")}${info}\n${content}`;
}

/** Whether one of these texts is the block of a call, which an answer that ended in the call has, and may continue. */
export function hasBlock(texts: readonly string[], block: string): boolean {
  const code = codeAfterFence(block);
  return texts.some((text) => text.startsWith("```") && codeAfterFence(text).startsWith(code));
}

function codeAfterFence(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}
