import { emptyReply, foldOne, type Reply } from "#contract/fold.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The part of a reply that its run has produced so far. */
export type RunReply = { reply: Reply; model: string | undefined };

/**
 * The replies that are being written in the visible branch: the folded events of their runs. They are published at most
 * once per frame. Parts that no event changes keep their identity.
 */
export type Replies = {
  /** By run id. */
  visible: Pick<Store<ReadonlyMap<string, RunReply>>, "get" | "subscribe">;
  /** Follows a run until the returned function is called. */
  follow: (runId: string) => () => void;
  receive: (runId: string, events: readonly NumberedRunEvent[]) => void;
  /** The run's log was deleted. */
  forget(runId: string): void;
};

type Followed = RunReply & { seq: number; followers: number };

/** 5 s: a screen that is closed and opened again at once does not load the whole answer again. */
const unfollowDelayMs = 5_000;

export function createReplies(options: {
  /** Requests the events of these runs, each after the number `after`. */
  watch: (runs: { runId: string; after: number }[]) => void;
  /** Calls `publish` at the next frame. */
  frame: (publish: () => void) => void;
  /** A followed run has ended. */
  ended: (runId: string) => void;
}): Replies {
  const followed = new Map<string, Followed>();
  const visible = createStore<ReadonlyMap<string, RunReply>>(new Map());
  let isScheduled = false;

  function schedulePublish(): void {
    if (isScheduled) return;
    isScheduled = true;
    options.frame(() => {
      isScheduled = false;
      const before = visible.get();
      const started = [...followed].filter(([, run]) => run.seq > 0);
      visible.set(
        new Map(
          started.map(([runId, { reply, model }]) => [
            runId,
            same(before.get(runId), reply) ?? { reply, model },
          ]),
        ),
      );
    });
  }

  function watch(): void {
    const open = [...followed].filter(([, run]) => run.reply.end === undefined);
    options.watch(open.map(([runId, run]) => ({ runId, after: run.seq })));
  }

  function release(runId: string, run: Followed): void {
    run.followers--;
    setTimeout(() => {
      if (run.followers > 0 || followed.get(runId) !== run) return;
      followed.delete(runId);
      watch();
      schedulePublish();
    }, unfollowDelayMs);
  }

  return {
    visible,
    follow(runId) {
      const run = followed.get(runId) ?? { seq: 0, followers: 0, reply: emptyReply, model: undefined };
      run.followers++;
      if (!followed.has(runId)) {
        followed.set(runId, run);
        watch();
      }
      let isFollowing = true;
      return () => {
        if (isFollowing) release(runId, run);
        isFollowing = false;
      };
    },
    receive(runId, events) {
      const run = followed.get(runId);
      if (run === undefined) return;
      for (const { seq, event } of events) {
        if (seq <= run.seq) continue;
        // An event is missing: request the events after the last received one, and ignore these.
        if (seq > run.seq + 1) return watch();
        run.seq = seq;
        run.reply = foldOne(run.reply, event);
        if (event.type === "run-start") run.model = event.model;
        if (event.type === "run-end") options.ended(runId);
      }
      schedulePublish();
    },
    forget(runId) {
      followed.delete(runId);
      watch();
      schedulePublish();
    },
  };
}

function same(before: RunReply | undefined, reply: Reply): RunReply | undefined {
  return before?.reply === reply ? before : undefined;
}
