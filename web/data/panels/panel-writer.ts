import type { BodyInputOf } from "#contract/api.ts";
import type { Call } from "../call.ts";

export type ServerPanel = BodyInputOf<"threads.setPanel">["panel"];

/** Stores what panels show on the server, for other devices: the latest state every few seconds, and on `flush`. */
export function createPanelWriter(call: Call, pauseMs = 3_000) {
  let waiting: { threadId: string; panel: ServerPanel } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === undefined) return;
    const { threadId, panel } = waiting;
    waiting = undefined;
    // The device still has it: the next visit to the thread stores it.
    call("threads.setPanel", { params: { thread_id: threadId }, body: { panel } }).catch(() => {});
  }

  return {
    flush,
    write(threadId: string, panel: ServerPanel): void {
      if (waiting !== undefined && waiting.threadId !== threadId) flush();
      waiting = { threadId, panel };
      timer ??= setTimeout(flush, pauseMs);
    },
  };
}
