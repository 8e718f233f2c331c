import { ModelError } from "../../model.ts";

/** Aborts a request to a provider on timeouts. Only time that the server spends waiting for the provider counts as silence. */
export type Watchdog = {
  /** Aborts with the caller's reason, or with a `ModelError` on a timeout. */
  signal: AbortSignal;
  /** The server starts or stops waiting for the provider. */
  startWaiting(): void;
  stopWaiting(): void;
  /** Bytes arrived, if only a comment. */
  onBytes(): void;
  /** Part of the answer arrived. */
  onContent(): void;
  /** Replaces the timeout for silence. */
  setSilenceMs(silenceMs: number): void;
  /** Aborts the connection, whether or not the answer is complete. */
  close(): void;
};

/** Timeouts in milliseconds. */
export type ProviderTimeouts = {
  /** No bytes at all. */
  silenceMs: number;
  /** Bytes, but no part of the answer. */
  muteMs: number;
  /** From the request to the end of the answer. */
  wholeMs: number;
};

export function createWatchdog(
  signal: AbortSignal,
  { silenceMs, muteMs, wholeMs }: ProviderTimeouts,
): Watchdog {
  const controller = new AbortController();
  const forwardAbort = () => controller.abort(signal.reason);
  if (signal.aborted) forwardAbort();
  else signal.addEventListener("abort", forwardAbort, { once: true });
  let waiting = false;
  const startTimer = (ms: number) =>
    setTimeout(() => {
      if (waiting)
        controller.abort(new ModelError("provider-silent", { cause: new Error(`nothing for ${ms} ms`) }));
    }, ms);
  let silenceTimer = startTimer(silenceMs);
  const muteTimer = startTimer(muteMs);
  const wholeTimer = setTimeout(() => controller.abort(new ModelError("answer-too-long")), wholeMs);
  return {
    signal: controller.signal,
    startWaiting() {
      waiting = true;
      silenceTimer.refresh();
    },
    stopWaiting() {
      waiting = false;
    },
    onBytes() {
      if (waiting) silenceTimer.refresh();
    },
    onContent() {
      muteTimer.refresh();
    },
    setSilenceMs(ms) {
      clearTimeout(silenceTimer);
      silenceTimer = startTimer(ms);
    },
    close() {
      for (const timer of [silenceTimer, muteTimer, wholeTimer]) clearTimeout(timer);
      signal.removeEventListener("abort", forwardAbort);
      controller.abort(new DOMException("The request was closed.", "AbortError"));
    },
  };
}
