import type { Reply } from "#contract/fold.ts";

/** Reveals the text of one running answer evenly, although it arrives in bursts. */
export type Pace = {
  /**
   * What is shown of `reply` in the frame at `nowMs`: `reply` itself when all its text is. Call it in each frame.
   * `frameMs`: the time until the next one.
   */
  next: (reply: Reply, nowMs: number, frameMs?: number) => Reply;
};

/** A burst is revealed within this share of the usual pause between two, so that it is complete before the next one. */
const pauseShare = 0.75;
/** 100 ms: text of a model with long pauses is not delayed further. */
const spreadMaxMs = 100;
/** A longer pause says nothing about the next one. */
const pauseMaxMs = 250;
/** The average is over about this many pauses. */
const averageOver = 4;
const usualFrameMs = 1_000 / 60;

/** `isOn`: whether text is revealed gradually. The first words are shown at once, and so is all text at the end. */
export function createPace(isOn: () => boolean): Pace {
  let part = -1;
  let shownLength = 0;
  let arrivedLength = 0;
  let arrivedAtMs: number | undefined;
  let pauseMs = 0;
  let completeAtMs = 0;
  let isFirst = true;

  /** The text has grown since the last frame. */
  function arrive(length: number, nowMs: number, frameMs: number): void {
    if (arrivedAtMs !== undefined)
      pauseMs += (Math.min(nowMs - arrivedAtMs, pauseMaxMs) - pauseMs) / (pauseMs === 0 ? 1 : averageOver);
    arrivedLength = length;
    arrivedAtMs = nowMs;
    const spreadMs = Math.min(pauseMs * pauseShare, spreadMaxMs);
    // Spread over two frames, the text would only be late.
    completeAtMs = spreadMs < 2 * frameMs ? nowMs : nowMs + spreadMs;
  }

  return {
    next(reply, nowMs, frameMs = usualFrameMs) {
      const index = reply.parts.length - 1;
      const last = reply.parts[index];
      if (index !== part) [part, shownLength, arrivedLength] = [index, 0, 0];
      if (last?.type !== "text") return reply;
      if (last.text.length !== arrivedLength) arrive(last.text.length, nowMs, frameMs);
      // The blocks that calls of the tool `artifact` become are below the calls, which showed them before.
      const before = reply.parts[index - 1]?.type;
      const isOfCall = last.text.startsWith("```") && (before === "tool-call" || before === "text");
      const isAtOnce = isFirst || reply.end !== undefined || isOfCall || !isOn();
      isFirst &&= !hasWords(reply);
      const framesLeft = isAtOnce ? 0 : (completeAtMs - nowMs) / frameMs;
      shownLength = nextLength(last.text, shownLength, framesLeft);
      if (shownLength === last.text.length) return reply;
      return { ...reply, parts: reply.parts.with(index, { ...last, text: last.text.slice(0, shownLength) }) };
    },
  };
}

/** Whether the last part has a word, which can be visible: Markdown often begins with characters that are not. */
export function hasWords({ parts }: Reply): boolean {
  const last = parts.at(-1);
  return last !== undefined && "text" in last && /[\p{L}\p{N}]/u.test(last.text);
}

/** The visible length in this frame, if the whole text is to be visible in `framesLeft` frames. Never half a surrogate pair. */
export function nextLength(text: string, shown: number, framesLeft: number): number {
  const step = Math.ceil((text.length - shown) / Math.max(1, framesLeft + 1));
  const next = shown + step;
  return /[\uD800-\uDBFF]/.test(text.charAt(next - 1)) ? Math.min(text.length, next + 1) : next;
}
