import type { Summary } from "#contract/endpoints/summaries.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Messages } from "#server/messages/messages.ts";
import { describeFailure } from "#server/models/model.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { ChooseAssistantAndModel } from "../prepare/choose.ts";
import type { ReserveRequest } from "../requests/reserve-request.ts";
import type { Compactor } from "./compactor.ts";

/**
 * Compacts a branch of a thread at a person's request. `undefined`: there is nothing to summarize. Throws
 * `thread-not-found`, `message-not-found`, `summary-failed`, `budget-used`, `budget-wait`.
 */
export type CompactThread = (
  visitor: Visitor,
  threadId: string,
  headId: string | undefined,
) => Promise<Summary | undefined>;

export function createCompactThread(options: {
  threads: Threads;
  messages: Messages;
  choose: ChooseAssistantAndModel;
  compactor: Compactor;
  reserve: ReserveRequest;
  logger: Logger;
}): CompactThread {
  const { threads, messages, choose, compactor, reserve, logger } = options;
  return async (visitor, threadId, head) => {
    await threads.get(visitor, threadId);
    const headId = await messages.findHead(visitor, threadId, head);
    if (headId === undefined) return undefined;
    const { model, assistantId, estimate } = await choose(visitor, threadId, {});
    const { appId, workspaceId, userId } = visitor;
    const end = { appId, workspaceId, threadId, headId, assistantId, userId };
    const endReservation = await reserve(visitor, estimate);
    try {
      return await compactor.compactNow(end, model);
    } catch (error) {
      if (error instanceof AppError) throw error;
      logger.warn({ threadId, err: describeFailure(error).err }, "could not compact a thread");
      throw new AppError("summary-failed");
    } finally {
      await endReservation();
    }
  };
}
