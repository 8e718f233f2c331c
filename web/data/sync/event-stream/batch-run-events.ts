import type { FromHub } from "./tab-messages.ts";

/**
 * Passes messages on to `post` in order, but a run's events that arrive together as one message, because a tab takes
 * longer to receive a message than to apply an event.
 */
export function batchRunEvents(post: (message: FromHub) => void): (message: FromHub) => void {
  let waiting: Extract<FromHub, { type: "run-events" }> | undefined;

  function flush(): void {
    if (waiting !== undefined) post(waiting);
    waiting = undefined;
  }

  return (message) => {
    if (message.type !== "run-events" || message.runId !== waiting?.runId) flush();
    if (message.type !== "run-events") return post(message);
    // The events that one network packet carries are received without a microtask between them.
    if (waiting === undefined) queueMicrotask(flush);
    waiting = { ...message, events: [...(waiting?.events ?? []), ...message.events] };
  };
}
