/**
 * Where the pieces of all files pass that are sent to this server, uploads and imports, one in each turn of the event
 * loop, so that everything else has its turn in between. Who began first goes first: files end one after another, instead
 * of all at the same late moment.
 */
export type Passage = {
  /** A place behind all who began before. What is answered resolves when a piece of so many bytes may pass. */
  enter(): MayPass;
};

export type MayPass = (bytes: number) => Promise<void>;

/**
 * What may pass while answers are being written: 48 MiB/s, 400 Mbit/s. To take that in costs a slow processor a third of
 * its time, in steps of a millisecond: answers stay as quick as they were.
 */
export const besideAnswersBytesPerSecond = 48 * 1024 * 1024;
/** What is done at the beginning and at the end of each file, commits above all, takes as long as 256 KiB of it. */
export const endBytes = 256 * 1024;
/** 5 ms: how far a timer that rang late may be caught up with. */
const slackMs = 5;
/** 20 ms: how soon it is noticed that the last answer has ended. */
const lookMs = 20;
/** For each piece 5 s: proxies give up a sender who may send nothing for a minute. */
const patienceMs = 5_000;

type Waiting = { order: number; bytes: number; sinceMs: number; pass: () => void };

/** `answering`: whether answers are being written now. */
export function createPassage({ answering }: { answering: () => boolean }): Passage {
  /** In the order in which they came. */
  const waiting: Waiting[] = [];
  let entered = 0;
  let going = false;
  let nextMs = 0;

  function letOneThrough(): void {
    const nowMs = performance.now();
    const isMeasured = answering();
    if (isMeasured && nextMs > nowMs) return void setTimeout(letOneThrough, Math.min(nextMs - nowMs, lookMs));
    const { bytes, pass } = takeNext(nowMs);
    // What passed while nobody was answered is nobody's debt.
    nextMs = isMeasured
      ? Math.max(nextMs, nowMs - slackMs) + (bytes / besideAnswersBytesPerSecond) * 1000
      : nowMs;
    pass();
    if (waiting.length > 0) setImmediate(letOneThrough);
    else going = false;
  }

  function takeNext(nowMs: number): Waiting {
    let best = 0;
    if (nowMs - waiting[0]!.sinceMs < patienceMs)
      for (const [index, { order }] of waiting.entries()) if (order < waiting[best]!.order) best = index;
    return waiting.splice(best, 1)[0]!;
  }

  return {
    enter() {
      const order = entered++;
      return async (bytes) =>
        await new Promise((pass) => {
          waiting.push({ order, bytes, sinceMs: performance.now(), pass });
          if (going) return;
          going = true;
          setImmediate(letOneThrough);
        });
    },
  };
}
