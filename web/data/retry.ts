import { backoffMs, pause } from "#web/lib/backoff.ts";
import { CallError } from "./call-error.ts";

const maxAttempts = 3;
const retryLaterMs = 30_000;

/** The user's runs are at their limit. That can last minutes, so it is shown at once instead of retried silently. */
export const tooManyRuns = "too-many-runs";

/**
 * Calls `send` up to three times. Between two attempts it waits as long as the server requests, or else with a backoff.
 * Throws the last error; an error that a retry cannot fix is thrown at once.
 */
export async function withRetries<Result>(
  send: () => Promise<Result>,
  options: { signal?: AbortSignal; random?: (() => number) | undefined; onRetry?: () => void } = {},
): Promise<Result> {
  const { signal, random, onRetry } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (signal?.aborted === true || attempt === maxAttempts || !isWorthRetrying(error)) throw error;
      onRetry?.();
      await pause(requestedMs(error) ?? backoffMs(attempt - 1, random), signal);
    }
  }
}

/** Timers until another round of attempts, one per key. */
export function createRetryTimers() {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const cancel = (key: string) => clearTimeout(timers.get(key));
  return {
    cancel,
    /** Calls `retry` after as long as the server requests (but 1 s or more), or else 30 s. Replaces the key's timer. */
    start(key: string, error: unknown, retry: () => void): void {
      cancel(key);
      timers.set(key, setTimeout(retry, Math.max(1_000, requestedMs(error) ?? retryLaterMs)));
    },
  };
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof CallError && error.failure.retry && error.failure.code !== tooManyRuns;
}

function requestedMs(error: unknown): number | undefined {
  return error instanceof CallError ? error.retryAfterMs : undefined;
}
