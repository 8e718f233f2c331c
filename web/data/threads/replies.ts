import { emptyReply, foldOne, type Reply } from "#contract/fold.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** A reply as far as its run's events tell it. */
export type RunReply = { reply: Reply; model: string | undefined };

/**
 * The replies that are being written in view: the fold of their runs' events, shown anew once per frame at the most.
 * What an event does not touch keeps its identity.
 */
export type Replies = {
  /** By run id, as they are shown. */
  shown: Pick<Store<ReadonlyMap<string, RunReply>>, "get" | "subscribe">;
  /** Follows a run as long as someone holds it; answers how to let go. */
  hold: (runId: string) => () => void;
  heard: (runId: string, events: readonly NumberedRunEvent[]) => void;
  /** The run's log is no more. */
  forget(runId: string): void;
};

type Followed = RunReply & { seq: number; holders: number };

/** 5 s: a screen that is left and entered again at once does not ask for the whole answer again. */
const lingerMs = 5_000;

export function createReplies(options: {
  /** Asks the line for these runs, each from the number after `after`. */
  watch: (runs: { runId: string; after: number }[]) => void;
  /** Runs `show` when there is something to draw. */
  frame: (show: () => void) => void;
  /** A run in view has ended. */
  ended: (runId: string) => void;
}): Replies {
  const followed = new Map<string, Followed>();
  const shown = createStore<ReadonlyMap<string, RunReply>>(new Map());
  let drawing = false;

  function draw(): void {
    if (drawing) return;
    drawing = true;
    options.frame(() => {
      drawing = false;
      const before = shown.get();
      const next = [...followed].filter(([, run]) => run.seq > 0);
      shown.set(
        new Map(
          next.map(([runId, { reply, model }]) => [
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
    run.holders--;
    setTimeout(() => {
      if (run.holders > 0 || followed.get(runId) !== run) return;
      followed.delete(runId);
      watch();
      draw();
    }, lingerMs);
  }

  return {
    shown,
    hold(runId) {
      const run = followed.get(runId) ?? { seq: 0, holders: 0, reply: emptyReply, model: undefined };
      run.holders++;
      if (!followed.has(runId)) {
        followed.set(runId, run);
        watch();
      }
      let held = true;
      return () => {
        if (held) release(runId, run);
        held = false;
      };
    },
    heard(runId, events) {
      const run = followed.get(runId);
      if (run === undefined) return;
      for (const { seq, event } of events) {
        if (seq <= run.seq) continue;
        // Something between was not heard: it is asked for again, and what comes before it is let go.
        if (seq > run.seq + 1) return watch();
        run.seq = seq;
        run.reply = foldOne(run.reply, event);
        if (event.type === "run-start") run.model = event.model;
        if (event.type === "run-end") options.ended(runId);
      }
      draw();
    },
    forget(runId) {
      followed.delete(runId);
      watch();
      draw();
    },
  };
}

function same(before: RunReply | undefined, reply: Reply): RunReply | undefined {
  return before?.reply === reply ? before : undefined;
}
