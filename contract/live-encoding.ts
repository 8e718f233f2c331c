import type { LiveMessage } from "./changes.ts";
import type { NumberedRunEvent } from "./run-events.ts";

/**
 * A message as it is sent to a browser. Consecutive events of one run omit `type` and `run_id` after the first one. An answer
 * has hundreds of events, and these two fields would be half of the bytes.
 */
export type EncodedLiveMessage = LiveMessage | NumberedRunEvent;

/** Returns a function that restores omitted fields. Call it with every message of one stream, in order. */
export function createLiveDecoder(): (message: EncodedLiveMessage) => LiveMessage {
  let runId = "";
  return (message) => {
    if (!("type" in message)) return { type: "run", run_id: runId, ...message };
    if (message.type === "run") runId = message.run_id;
    return message;
  };
}
