import type { Part } from "#contract/parts/kinds.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Models } from "#server/models/models.ts";
import { modelOrDefault } from "../prepare/choose.ts";
import type { Runner } from "../loop/runner.ts";
import type { RetryRun } from "./reaper.ts";

/** Retries or resumes a run whose process died before it had any output. */
export function createRetryRun(options: { messages: Messages; models: Models; runner: Runner }): RetryRun {
  const { messages, models, runner } = options;
  return async (run, point) => {
    if (point !== undefined) {
      runner.resume(run, point);
      return;
    }
    const parts = withoutOpenCalls(await messages.replyParts(run.thread_id!, run.reply_id!));
    runner.start(run, await modelOrDefault(models, run), parts);
  };
}

/** Drops the tool calls without a result at the end. The model makes them again, because it is unknown how far they got. */
export function withoutOpenCalls(parts: Part[]): Part[] {
  const last = parts.findLastIndex((part) => part.type !== "tool-call" || part.result !== undefined);
  return parts.slice(0, last + 1);
}
