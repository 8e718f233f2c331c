import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import type { Services } from "../services.ts";
import { branchKey } from "../threads/branch-rows.ts";

/** The texts of an answer, one for each text part; one empty text for an answer without any. */
export function answerTextsOf({ content }: BranchMessage): string[] {
  const texts = partsOf(content).flatMap((part) => textOf(part) ?? []);
  return texts.length === 0 ? [""] : texts;
}

/**
 * Stores the answer with other texts as a new version, which becomes the visible one. A call with the same `externalId`
 * stores it once. Throws `CallError`.
 */
export async function saveEditedAnswer(
  { call, queries }: Pick<Services, "call" | "queries">,
  {
    threadId,
    row,
    texts,
    externalId,
  }: {
    threadId: string;
    row: BranchMessage;
    texts: readonly string[];
    externalId: string;
  },
): Promise<void> {
  await call("messages.add", {
    params: { thread_id: threadId },
    query: { title: "false" },
    body: {
      parent_id: row.parent_id,
      format: row.format,
      external_id: externalId,
      content: withTexts(row, texts),
    },
  });
  await queries.invalidateQueries({ queryKey: branchKey(threadId) });
}

/** All other parts stay as they are. A text part without text is left out. */
function withTexts({ id, content }: BranchMessage, texts: readonly string[]): JsonObject {
  const left = [...texts];
  const parts = partsOf(content).flatMap((part) => {
    if (textOf(part) === undefined) return [part];
    const text = left.shift() ?? "";
    return text.trim() === "" ? [] : [{ ...(part as JsonObject), text }];
  });
  const { metadata } = content;
  const custom = isJsonObject(metadata) && isJsonObject(metadata["custom"]) ? metadata["custom"] : {};
  return {
    ...content,
    content: [...parts, ...left.map((text) => ({ type: "text", text }))],
    metadata: { ...(isJsonObject(metadata) ? metadata : {}), custom: { ...custom, edited_from: id } },
  } as JsonObject;
}

function partsOf(content: BranchMessage["content"]): unknown[] {
  return Array.isArray(content["content"]) ? content["content"] : [];
}

function textOf(part: unknown): string | undefined {
  return isJsonObject(part) && part["type"] === "text" && typeof part["text"] === "string"
    ? part["text"]
    : undefined;
}
