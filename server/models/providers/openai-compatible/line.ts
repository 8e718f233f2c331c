import { ModelError } from "../../model.ts";

/**
 * The line to a provider for one request: an abort that reaches the socket, and an ear for silence. Silence counts only
 * while we wait for the provider; a reader of ours who is slow is not the provider's silence.
 */
export type Line = {
  signal: AbortSignal;
  /** We begin and cease to wait for the provider. */
  wait(): void;
  rest(): void;
  /** Something came, were it only a comment. */
  heard(): void;
  /** What came is part of the answer. */
  said(): void;
  /** From now on this much silence, in milliseconds, ends the line. */
  hurry(silenceMs: number): void;
  /** Lets go of the connection, whether or not the answer is over. */
  close(): void;
};

/** How much is borne of a provider, in milliseconds. */
export type Patience = {
  /** Nothing at all. */
  silenceMs: number;
  /** Nothing of the answer. */
  muteMs: number;
  /** All of it, from the request on. */
  wholeMs: number;
};

export function openLine(signal: AbortSignal, { silenceMs, muteMs, wholeMs }: Patience): Line {
  const controller = new AbortController();
  const pass = () => controller.abort(signal.reason);
  if (signal.aborted) pass();
  else signal.addEventListener("abort", pass, { once: true });
  let waiting = false;
  const newTimer = (ms: number) =>
    setTimeout(() => {
      if (waiting)
        controller.abort(new ModelError("provider-silent", { cause: new Error(`nothing for ${ms} ms`) }));
    }, ms);
  let timer = newTimer(silenceMs);
  const mute = newTimer(muteMs);
  const whole = setTimeout(() => controller.abort(new ModelError("answer-too-long")), wholeMs);
  return {
    signal: controller.signal,
    wait() {
      waiting = true;
      timer.refresh();
    },
    rest() {
      waiting = false;
    },
    heard() {
      if (waiting) timer.refresh();
    },
    said() {
      mute.refresh();
    },
    hurry(ms) {
      clearTimeout(timer);
      timer = newTimer(ms);
    },
    close() {
      for (const each of [timer, mute, whole]) clearTimeout(each);
      signal.removeEventListener("abort", pass);
      controller.abort(new DOMException("The line was closed.", "AbortError"));
    },
  };
}
