import type { JsonObject } from "#contract/json.ts";
import { answerCall, readWholeLog, sendAndGetCall } from "./conversation.ts";
import type { Visitor } from "./visitor.ts";

/** Makes an assistant call this tool and allows it. Returns what the call returned, after the answer has completed. */
export async function callTool(
  who: Visitor,
  name: string,
  args: JsonObject,
): Promise<{ result: unknown; isError: boolean; runId: string }> {
  const { run_id: runId, events } = await sendAndGetCall(
    who,
    `tool=${name}(${JSON.stringify(args)}) tokens=2`,
  );
  const call = events.find((event) => event.type === "tool-call-start");
  if (call?.type !== "tool-call-start") throw new Error(`${name} was not called.`);
  await answerCall(who, runId, true, { tool_call_id: call.tool_call_id });
  const log = await readWholeLog(who, runId);
  const [found, ended] = [log.find((event) => event.type === "tool-call-result"), log.at(-1)];
  if (found?.type !== "tool-call-result" || ended?.type !== "run-end" || ended.state !== "completed")
    throw new Error(`The answer did not complete: ${JSON.stringify(log.slice(-3))}`);
  return { result: found.result, isError: found.is_error === true, runId };
}
