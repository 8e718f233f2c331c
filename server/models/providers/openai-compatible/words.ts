import { isJsonObject, type Json } from "#contract/json.ts";

/** What a chunk of an answer says in words. */
export type Words = { reasoning: string; text: string };

const none: Words = { reasoning: "", text: "" };

/**
 * The words of a chunk that holds words and nothing that the library must judge; `undefined` for any other, such as a
 * tool call, a finish or an error. Nearly all chunks of nearly all answers are of the first kind.
 */
export function plainWords(chunk: unknown): Words | undefined {
  if (!isJsonObject(chunk) || !Array.isArray(chunk.choices) || "error" in chunk) return undefined;
  const [choice] = chunk.choices;
  if (choice === undefined) return none;
  if (!isJsonObject(choice) || isThere(choice.finish_reason)) return undefined;
  const { delta } = choice;
  if (!isThere(delta)) return none;
  if (!isJsonObject(delta) || !isRole(delta.role) || isTold(delta.tool_calls) || isTold(delta.refusal))
    return undefined;
  const { content, reasoning_content: thought, reasoning } = delta;
  if (!isText(content) || !isText(thought) || !isText(reasoning)) return undefined;
  return { reasoning: thought ?? reasoning ?? "", text: content ?? "" };
}

function isThere(value: Json | undefined): value is Json & {} {
  return value !== null && value !== undefined;
}

/** Whether a list or a text holds anything. */
function isTold(value: Json | undefined): boolean {
  return isThere(value) && !(Array.isArray(value) && value.length === 0) && value !== "";
}

function isRole(role: Json | undefined): boolean {
  return !isThere(role) || role === "assistant" || role === "";
}

function isText(value: Json | undefined): value is string | null | undefined {
  return !isThere(value) || typeof value === "string";
}
