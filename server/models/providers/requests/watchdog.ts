import { ModelError } from "../../model.ts";

/** Timeouts in milliseconds. */
export type ProviderTimeouts = {
  /** No bytes at all. */
  silenceMs: number;
  /** Bytes, but no part of the answer. */
  noOutputMs: number;
  /** From the request to the end of the answer. */
  stepMs: number;
};

export type Watchdog = ReturnType<typeof createWatchdog>;

/** Aborts a request to a provider on timeouts. Only time that the server spends waiting for the provider counts as silence. */
export function createWatchdog(
  signal: AbortSignal,
  { silenceMs, noOutputMs, stepMs }: ProviderTimeouts,
  onFirstContent: () => void,
) {
  const controller = new AbortController();
  const forwardAbort = () => controller.abort(signal.reason);
  if (signal.aborted) forwardAbort();
  else signal.addEventListener("abort", forwardAbort, { once: true });
  let waiting = false;
  let hasContent = false;
  const startTimer = (ms: number) =>
    setTimeout(() => {
      if (waiting)
        controller.abort(new ModelError("provider-silent", { cause: new Error(`nothing for ${ms} ms`) }));
    }, ms);
  let silenceTimer = startTimer(silenceMs);
  const noOutputTimer = startTimer(noOutputMs);
  const stepTimer = setTimeout(() => controller.abort(new ModelError("answer-too-long")), stepMs);
  return {
    /** Aborts with the caller's reason, or with a `ModelError` on a timeout. */
    signal: controller.signal,
    /** The server starts or stops waiting for the provider. */
    startWaiting(): void {
      waiting = true;
      silenceTimer.refresh();
    },
    stopWaiting(): void {
      waiting = false;
    },
    /** Bytes arrived, if only a comment. */
    onBytes(): void {
      if (waiting) silenceTimer.refresh();
    },
    /** Part of the answer arrived. */
    onContent(): void {
      noOutputTimer.refresh();
      if (hasContent) return;
      hasContent = true;
      onFirstContent();
    },
    /** Replaces the timeout for silence. */
    setSilenceMs(ms: number): void {
      clearTimeout(silenceTimer);
      silenceTimer = startTimer(ms);
    },
    /** Aborts the connection, whether or not the answer is complete. */
    close(): void {
      for (const timer of [silenceTimer, noOutputTimer, stepTimer]) clearTimeout(timer);
      signal.removeEventListener("abort", forwardAbort);
      controller.abort(new DOMException("The request was closed.", "AbortError"));
    },
  };
}
