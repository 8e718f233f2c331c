import type { LiveMessage } from "./changes.ts";
import type { NumberedRunEvent } from "./run-events.ts";

/**
 * A message as it stands on a browser's line. Of the messages of one run only the first, and the first after another
 * run's, says what it is and whose: an answer comes in hundreds of them, and that would be half of the bytes.
 */
export type EncodedLiveMessage = LiveMessage | NumberedRunEvent;

/** Puts back what the messages of one line leave out; call what is answered with each of them, in their order. */
export function createLiveDecoder(): (message: EncodedLiveMessage) => LiveMessage {
  let runId = "";
  return (message) => {
    if (!("type" in message)) return { type: "run", run_id: runId, ...message };
    if (message.type === "run") runId = message.run_id;
    return message;
  };
}
