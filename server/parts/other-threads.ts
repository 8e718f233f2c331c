import { isJsonObject } from "#contract/json.ts";

/** The tools whose results are from other threads of the person. Removed ones stay: stored answers have their calls. */
const otherThreadTools = ["list_threads", "read_thread", "search_threads"] as const;

export type OtherThreadTool = (typeof otherThreadTools)[number];

export function isOtherThreadTool(name: string): name is OtherThreadTool {
  return otherThreadTools.includes(name as OtherThreadTool);
}

/**
 * A stored message without what it has from other threads of its person, for people and models that may read only this
 * one: calls of those tools keep only their name, and sources that are not on the web are left out. What an answer says
 * stays.
 */
export function withoutOtherThreads<Content>(content: Content): Content {
  if (!isJsonObject(content) || !Array.isArray(content["content"])) return content;
  const parts = content["content"] as unknown[];
  return { ...content, content: parts.flatMap(withoutResults) };
}

function withoutResults(part: unknown): unknown[] {
  if (!isJsonObject(part)) return [part];
  const { type, toolCallId, toolName, url } = part;
  if (type === "tool-call" && typeof toolName === "string" && isOtherThreadTool(toolName))
    return [{ type, toolCallId, toolName, args: {}, argsText: "{}", result: "Not shared." }];
  if (type === "source" && !isOnTheWeb(url)) return [];
  return [part];
}

export function isOnTheWeb(url: unknown): boolean {
  return typeof url === "string" && /^https?:\/\//i.test(url);
}
