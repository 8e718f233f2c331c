import { getPartialJsonObjectMeta, parsePartialJsonObject } from "assistant-stream/utils";
import { artifactTool, blockOfCall, hasBlock } from "#contract/artifacts/artifact-call.ts";
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
  const texts = textsIn(parts);
  const blocks: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.type !== "tool-call" || part.toolName !== artifactTool || part.result !== undefined) continue;
    // A completed answer leaves only complete calls, to its client, or one at which the model's tokens ended.
    if (state === "completed" && part.args !== undefined) continue;
    const block = blockOf(part, [...texts, ...blocks]);
    // An answer that ended in the call before, and was continued, has it.
    if (block !== undefined && !hasBlock(textsIn(parts.slice(index + 1)), block)) blocks.push(block);
  }
  return blocks.flatMap((text, index): RunEvent[] => {
    const part = parts.length + index;
    return [
      { type: "text-start", part },
      { type: "text-delta", part, text },
      { type: "text-end", part },
    ];
  });
}

function textsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? part.text : []));
}

function blockOf({ args, argsText }: ToolCallPart, before: readonly string[]): string | undefined {
  const written = args ?? parsePartialJsonObject(argsText) ?? {};
  const openName = args === undefined ? getPartialJsonObjectMeta(written)?.partialPath[0] : undefined;
  return blockOfCall(written, { openName, before });
}
