import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { ModelMessage, ModelToolResult } from "#server/models/model.ts";
import type { ReadTexts } from "#server/tools/rules/decide.ts";

type ReadResult = Pick<ModelToolResult, "toolName" | "result"> & { from?: string | undefined; args: unknown };

/**
 * What an answer has read, for the rules of its tool calls. `earlier`: whose text is in a summary of the thread. Of results,
 * only those count that strangers wrote, and not where they repeat the arguments: those the model wrote itself.
 */
export function createReadTexts(
  messages: readonly ModelMessage[],
  earlier: readonly string[] = [],
): ReadTexts & { add(result: ReadResult): void; lastArgs(toolName: string): JsonObject | undefined } {
  const strangers = new Set(earlier);
  const said: string[] = [];
  const read: { toolName: string; text: string; args: string }[] = [];

  const lastArgs = new Map<string, JsonObject>();

  function add({ toolName, result, from, args }: ReadResult): void {
    if (isJsonObject(args)) lastArgs.set(toolName, args);
    if (from === undefined) return;
    strangers.add(from);
    read.push({ toolName, text: textOf(result), args: textOf(args) });
  }

  const args = new Map<string, unknown>();
  for (const message of messages) {
    if (message.role === "user")
      said.push(...message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    if (message.role === "assistant")
      for (const part of message.parts) if (part.type === "tool-call") args.set(part.toolCallId, part.args);
    if (message.role === "tool")
      for (const result of message.results) add({ ...result, args: args.get(result.toolCallId) });
  }
  return {
    get strangers() {
      return [...strangers];
    },
    knows: (url, { name }) =>
      url !== "" &&
      (said.some((words) => words.includes(url)) ||
        read.some((each) =>
          each.args.includes(url)
            ? each.toolName === name && each.args.includes(JSON.stringify(url))
            : each.text.includes(url),
        )),
    add,
    /** The arguments of the last call of this tool. */
    lastArgs: (toolName) => lastArgs.get(toolName),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
