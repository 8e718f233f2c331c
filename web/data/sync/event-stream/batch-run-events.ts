import type { FromHub } from "./tab-messages.ts";

/** 16 ms: a page shows what arrives within a frame together. */
const batchMs = 16;

/**
 * Passes messages on to `post`, but the events of a run that follow each other fast as one message, because a tab takes
 * longer to receive a message than to apply an event. The order stays. The first events and the end of a run do not wait.
 */
export function batchRunEvents(post: (message: FromHub) => void): (message: FromHub) => void {
  let waiting: Extract<FromHub, { type: "run-events" }> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    if (waiting !== undefined) post(waiting);
    waiting = undefined;
  }

  function onTime(): void {
    timer = undefined;
    if (waiting === undefined) return;
    flush();
    timer = setTimeout(onTime, batchMs);
  }

  return (message) => {
    if (message.type !== "run-events" || message.runId !== waiting?.runId) flush();
    if (message.type !== "run-events") return post(message);
    waiting = { ...message, events: [...(waiting?.events ?? []), ...message.events] };
    if (timer === undefined) {
      // After the events that were received together with this one.
      queueMicrotask(flush);
      timer = setTimeout(onTime, batchMs);
    } else if (message.events.at(-1)?.event.type === "run-end") flush();
  };
}
