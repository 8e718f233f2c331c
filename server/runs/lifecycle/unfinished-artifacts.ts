import { getPartialJsonObjectMeta, parsePartialJsonObject } from "assistant-stream/utils";
import { artifactTool, blockOfCall } from "#contract/artifacts/artifact-call.ts";
import type { Reply } from "#contract/fold.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";

/**
 * The events that keep what a model had written of an artifact when its answer ended in the call: a text with an open
 * fenced block, as if the model had written the block itself. So nothing that a person saw is lost, and exports, search and
 * the model's next request have it.
 */
export function keepUnfinishedArtifacts({ parts }: Reply, state: RunEndState): RunEvent[] {
  const calls = openCalls(parts)
    // A completed answer leaves only complete calls, to its client, or one at which the model's tokens ended.
    .filter(
      ({ toolName, args }) => toolName === artifactTool && (state !== "completed" || args === undefined),
    );
  const texts = parts.flatMap((part) => (part.type === "text" ? part.text : []));
  const blocks: string[] = [];
  for (const call of calls) blocks.push(...blockOf(call, [...texts, ...blocks]));
  return blocks.flatMap((text, index): RunEvent[] => {
    const part = parts.length + index;
    return [
      { type: "text-start", part },
      { type: "text-delta", part, text },
      { type: "text-end", part },
    ];
  });
}

/** Of the calls that the reply ends with, those without a result. */
function openCalls(parts: readonly Part[]): ToolCallPart[] {
  const last = parts.findLastIndex(({ type }) => type !== "tool-call");
  return parts
    .slice(last + 1)
    .filter((part) => part.type === "tool-call")
    .filter(({ result }) => result === undefined);
}

function blockOf({ args, argsText }: ToolCallPart, before: readonly string[]): string[] {
  const written = args ?? parsePartialJsonObject(argsText) ?? {};
  const openName = args === undefined ? getPartialJsonObjectMeta(written)?.partialPath[0] : undefined;
  const block = blockOfCall(written, { openName, before });
  return block === undefined ? [] : [block];
}
