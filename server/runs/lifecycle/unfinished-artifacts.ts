import { getPartialJsonObjectMeta, parsePartialJsonObject } from "assistant-stream/utils";
import { artifactTool, blockOfCall } from "#contract/artifacts/call-block.ts";
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
  const blocks = openCalls(parts)
    // A completed answer leaves only complete calls, to its client, or one at which the model's tokens ended.
    .filter(
      ({ toolName, args }) => toolName === artifactTool && (state !== "completed" || args === undefined),
    )
    .flatMap((call) => blockOf(call) ?? []);
  return blocks.flatMap((text, index): RunEvent[] => {
    const part = parts.length + index;
    return [
      { type: "text-start", part },
      { type: "text-delta", part, text },
      { type: "text-end", part },
    ];
  });
}

/** The calls without a result that the reply ends with. */
function openCalls(parts: readonly Part[]): ToolCallPart[] {
  const last = parts.findLastIndex((part) => part.type !== "tool-call" || part.result !== undefined);
  return parts.slice(last + 1).filter((part) => part.type === "tool-call");
}

function blockOf({ args, argsText }: ToolCallPart): string | undefined {
  if (args !== undefined) return blockOfCall(args);
  const written = parsePartialJsonObject(argsText) ?? {};
  return blockOfCall(written, getPartialJsonObjectMeta(written)?.partialPath[0]);
}
