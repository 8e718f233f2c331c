import { beforeEach } from "vitest";

/** Calls `reset` before each retry of a failed test, which then finds nothing of the attempt before. */
export function onRetry(reset: () => unknown): void {
  beforeEach(async ({ task }) => {
    if ((task.result?.retryCount ?? 0) > 0) await reset();
  });
}
