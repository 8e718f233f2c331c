import { getPartialJsonObjectMeta, IncrementalJsonObjectParser } from "assistant-stream/utils";
import { artifactTool, blockOfCall } from "#contract/artifacts/call-block.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PartOf } from "#contract/parts/kinds.ts";

type Call = Pick<PartOf<"tool-call">, "toolCallId" | "argsText" | "args">;
type Written = {
  argsText: string;
  parser: IncrementalJsonObjectParser;
  /** The complete arguments. */
  args: JsonObject;
  /** The fenced block that the call becomes, without its end; `undefined` before its content begins. */
  block: string | undefined;
};

/** The last calls that were read. Only what was added since is read. */
const known = new Map<string, Written>();
const knownMax = 8;

/** The arguments of a call of the tool `artifact` while the model writes them. */
export function writtenArtifact({ toolCallId, argsText, args }: Call): Pick<Written, "args" | "block"> {
  if (args !== undefined) return { args, block: blockOfCall(args) };
  const before = known.get(toolCallId);
  if (before?.argsText === argsText) return before;
  const parser =
    before !== undefined && argsText.startsWith(before.argsText)
      ? before.parser.append(argsText.slice(before.argsText.length))
      : IncrementalJsonObjectParser.from(argsText);
  const values = parser.currentArgs;
  const openName = getPartialJsonObjectMeta(values)?.partialPath[0];
  const complete = Object.entries(values).filter(([name]) => name !== openName);
  const written = {
    argsText,
    parser,
    args: Object.fromEntries(complete) as JsonObject,
    block: blockOfCall(values, openName),
  };
  if (known.size >= knownMax && before === undefined) known.clear();
  known.set(toolCallId, written);
  return written;
}

/** The texts of an answer. A call of the tool at its end counts as the block that it becomes: it has no result yet. */
export function textsOf(parts: readonly { type: string }[]): string[] {
  const last = parts.findLastIndex((part) => !isOpenCall(part));
  const calls = parts.slice(last + 1).filter(isOpenCall);
  return [
    ...parts.flatMap((part) =>
      part.type === "text" && "text" in part && typeof part.text === "string" ? part.text : [],
    ),
    ...calls.flatMap((call) => (call.toolName === artifactTool ? (writtenArtifact(call).block ?? []) : [])),
  ];
}

function isOpenCall(part: { type: string }): part is PartOf<"tool-call"> {
  return part.type === "tool-call" && (part as PartOf<"tool-call">).result === undefined;
}
