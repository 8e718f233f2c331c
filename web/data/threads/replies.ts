import { emptyReply, foldOne, type Reply } from "#contract/fold.ts";
import { createPace, hasWords, type Pace } from "./pace.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/** The part of a reply that its run has produced so far. */
export type RunReply = { reply: Reply; model: string | undefined };

/**
 * The replies that are being written in the visible branch: the folded events of their runs. They are published at most
 * once per frame, except the first word of a part and the end, and their text is revealed evenly. Parts that no event changes keep their identity.
 */
export type Replies = {
  /** By run id. */
  visible: RunReplies;
  /**
   * The same replies, published a frame later, and only when more than the text of a part has changed. Most frames only
   * add text, which the part's own view reads from `visible`; the rest of the page need not be computed again for it. The
   * beginning of a reply, which shows nothing new, is published 250 ms later: its first word may come before.
   */
  outlines: RunReplies;
  /** Follows a run until the returned function is called. `isStarting`: this browser is sending the request that starts it. */
  follow: (runId: string, isStarting?: boolean) => () => void;
  receive: (runId: string, events: readonly NumberedRunEvent[]) => void;
  /** The run's log was deleted. */
  forget(runId: string): void;
};

type RunReplies = Pick<Store<ReadonlyMap<string, RunReply>>, "get" | "subscribe">;
/** `reply` has everything that arrived; what is shown of it follows `pace`. */
type Followed = RunReply & { seq: number; followers: number; isStarting: boolean; pace: Pace };

const wordlessDelayMs = 250;
/** 5 s: a screen that is closed and opened again at once does not load the whole answer again. */
const unfollowDelayMs = 5_000;

export function createReplies(options: {
  /** Requests the events of these runs, each after the number `after`. */
  watch: (runs: { runId: string; after: number; isStarting: boolean }[]) => void;
  /**
   * Calls `publish` at the next frame with its time, and the time from there to the one after it. `isUrgent`: calls it at
   * once.
   */
  frame: (publish: (nowMs: number, frameMs?: number) => void, isUrgent?: boolean) => void;
  /** Whether text is revealed gradually; if not, all of it is shown at once. */
  isPaced: () => boolean;
  /** A followed run has ended. */
  ended: (runId: string) => void;
}): Replies {
  const followed = new Map<string, Followed>();
  const visible = createStore<ReadonlyMap<string, RunReply>>(new Map());
  const outlines = createStore<ReadonlyMap<string, RunReply>>(new Map());
  let isScheduled = false;

  function schedulePublish(): void {
    if (isScheduled) return;
    isScheduled = true;
    options.frame((nowMs, frameMs) => {
      isScheduled = false;
      publish(nowMs, frameMs);
    });
  }

  function publish(nowMs: number, frameMs?: number): void {
    const before = visible.get();
    const next = new Map<string, RunReply>();
    for (const [runId, { seq, reply, model, pace }] of followed) {
      if (seq === 0) continue;
      const shown = pace.next(reply, nowMs, frameMs);
      next.set(runId, same(before.get(runId), shown) ?? { reply: shown, model });
      if (shown !== reply) schedulePublish();
    }
    visible.set(next);
    const known = outlines.get();
    if (reuseOutlines(known, next) === known) return;
    const isOnlyBeginning =
      [...known.keys()].every((runId) => next.has(runId)) &&
      [...next].every(([runId, run]) => known.get(runId) === run || isWordless(run.reply));
    if (isOnlyBeginning) setTimeout(() => options.frame(publishOutlines), wordlessDelayMs);
    else options.frame(publishOutlines);
  }

  /** A frame after the text, which should not wait until the rest of the page is rendered. */
  function publishOutlines(): void {
    outlines.set(reuseOutlines(outlines.get(), visible.get()));
  }

  function watch(): void {
    const open = [...followed].filter(([, run]) => run.reply.end === undefined);
    options.watch(open.map(([runId, run]) => ({ runId, after: run.seq, isStarting: run.isStarting })));
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
    outlines,
    follow(runId, isStarting = false) {
      const known = followed.get(runId);
      const run = known ?? newlyFollowed(options.isPaced);
      run.followers++;
      if (known === undefined || known.isStarting !== isStarting) {
        run.isStarting = isStarting;
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
      const before = run.reply;
      for (const { seq, event } of events) {
        if (seq <= run.seq) continue;
        // An event is missing: request the events after the last received one, and ignore these.
        if (seq > run.seq + 1) return watch();
        run.seq = seq;
        run.reply = foldOne(run.reply, event);
        if (event.type === "run-start") run.model = event.model ?? undefined;
        if (event.type === "run-note" && event.model !== undefined) run.model = event.model;
        if (event.type === "run-end") options.ended(runId);
      }
      // These do not wait for the frame of what came before, which may take long.
      if (hasFirstWord(before, run.reply) || run.reply.end !== undefined) options.frame(publish, true);
      else schedulePublish();
    },
    forget(runId) {
      followed.delete(runId);
      watch();
      schedulePublish();
    },
  };
}

/** Whether the last part of a reply has got its first word. */
function hasFirstWord(before: Reply, now: Reply): boolean {
  return hasWords(now) && !(hasWords(before) && before.parts.length === now.parts.length);
}

/** Whether a reply has nothing but perhaps the beginning of its first text, such as a `#`. */
function isWordless(reply: Reply): boolean {
  const [first, ...others] = reply.parts;
  const isBeginning =
    others.length === 0 && (first === undefined || (first.type === "text" && first.text.length < 4));
  return isBeginning && reply.end === undefined && reply.notes === undefined && !hasWords(reply);
}

function newlyFollowed(isPaced: () => boolean): Followed {
  return {
    seq: 0,
    followers: 0,
    isStarting: false,
    reply: emptyReply,
    model: undefined,
    pace: createPace(isPaced),
  };
}

function same(before: RunReply | undefined, reply: Reply): RunReply | undefined {
  return before?.reply === reply ? before : undefined;
}

/** `next` with the replies of `before` whose outline is the same; `before` itself if that is all of them. */
function reuseOutlines(
  before: ReadonlyMap<string, RunReply>,
  next: ReadonlyMap<string, RunReply>,
): ReadonlyMap<string, RunReply> {
  const reused = new Map(
    [...next].map(([runId, run]) => {
      const known = before.get(runId);
      return [runId, known !== undefined && hasSameOutline(known, run) ? known : run];
    }),
  );
  const isSame =
    reused.size === before.size && [...reused].every(([runId, run]) => before.get(runId) === run);
  return isSame ? before : reused;
}

/** Whether nothing but the text of parts differs. A part's first text counts as a difference. */
function hasSameOutline(before: RunReply, next: RunReply): boolean {
  const { parts: partsBefore, ...restBefore } = before.reply;
  const { parts, ...rest } = next.reply;
  return (
    before.model === next.model &&
    isShallowEqual(restBefore, rest) &&
    parts.length === partsBefore.length &&
    parts.every(
      (part, i) => part === partsBefore[i] || isShallowEqual(outlineOf(part), outlineOf(partsBefore[i])),
    )
  );
}

function outlineOf(part: Part | undefined): object {
  if (part?.type === "tool-call") return { ...part, argsText: part.argsText !== "" };
  return part !== undefined && "text" in part ? { ...part, text: part.text !== "" } : { part };
}

function isShallowEqual(one: object, other: object): boolean {
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) => (other as Record<string, unknown>)[key] === value)
  );
}
