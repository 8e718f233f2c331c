import { getPartialJsonObjectMeta, IncrementalJsonObjectParser } from "assistant-stream/utils";
import { artifactTool, blockOfCall, hasBlock } from "#contract/artifacts/artifact-call.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PartOf } from "#contract/parts/kinds.ts";

type Call = Pick<PartOf<"tool-call">, "toolCallId" | "argsText" | "args">;
type Written = {
  toolCallId: string;
  argsText: string;
  parser: IncrementalJsonObjectParser;
};

/** The last calls that were read. Only what was added since is read. */
let known: Written[] = [];
const knownMax = 8;

/**
 * The complete arguments of a call of the tool `artifact` while the model writes them, and the fenced block that the call
 * becomes, without its end: `undefined` before its content begins. `before`: the texts of the answer.
 */
export function writtenArtifact(
  call: Call,
  before: readonly string[] = [],
): { args: JsonObject; block: string | undefined } {
  if (call.args !== undefined) return { args: call.args, block: blockOfCall(call.args, { before }) };
  const values = read(call).currentArgs;
  const openName = getPartialJsonObjectMeta(values)?.partialPath[0];
  const complete = Object.entries(values).filter(([name]) => name !== openName);
  return {
    args: Object.fromEntries(complete) as JsonObject,
    block: blockOfCall(values, { openName, before }),
  };
}

function read({ toolCallId, argsText }: Call): IncrementalJsonObjectParser {
  // Calls of two answers can have one id, but not for long the same arguments.
  const last = known.find((each) => each.toolCallId === toolCallId && argsText.startsWith(each.argsText));
  if (last?.argsText === argsText) return last.parser;
  const parser =
    last?.parser.append(argsText.slice(last.argsText.length)) ?? IncrementalJsonObjectParser.from(argsText);
  const others = known.filter((each) => each !== last).slice(0, knownMax - 1);
  known = [{ toolCallId, argsText, parser }, ...others];
  return parser;
}

/**
 * The texts of an answer. Calls of the tool without a result count as the blocks that they become: while the answer is
 * written (`isRunning`) all of them, otherwise those at its end.
 */
export function textsOf(parts: readonly { type: string }[], { isRunning }: { isRunning: boolean }): string[] {
  const last = parts.findLastIndex(({ type }) => type !== "tool-call");
  const texts = textsIn(parts);
  for (const [index, part] of parts.entries()) {
    if ((index < last && !isRunning) || !isOpenCall(part) || part.toolName !== artifactTool) continue;
    const { block } = writtenArtifact(part, texts);
    // An answer that ended in the call before, and was continued, has it.
    if (block !== undefined && !hasBlock(textsIn(parts.slice(index + 1)), block)) texts.push(block);
  }
  return texts;
}

function textsIn(parts: readonly { type: string }[]): string[] {
  return parts.flatMap((part) =>
    part.type === "text" && "text" in part && typeof part.text === "string" ? part.text : [],
  );
}

function isOpenCall(part: { type: string }): part is PartOf<"tool-call"> {
  return part.type === "tool-call" && (part as PartOf<"tool-call">).result === undefined;
}
