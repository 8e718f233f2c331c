import { isJsonObject } from "#contract/json.ts";

/** The tools whose results are from other threads of the person. */
export const otherThreadTools: ReadonlySet<string> = new Set([
  "list_threads",
  "read_thread",
  "search_threads",
]);

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
  if (part["type"] === "tool-call" && otherThreadTools.has(String(part["toolName"]))) {
    const { type, toolCallId, toolName } = part;
    return [{ type, toolCallId, toolName, args: {}, argsText: "{}", result: "Not shared." }];
  }
  if (part["type"] === "source" && !/^https?:\/\//i.test(String(part["url"]))) return [];
  return [part];
}
