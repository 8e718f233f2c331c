import type { Role } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import * as rows from "./recent-rows.ts";

/** A thread in short. */
export type Recent = {
  threadId: string;
  title: string | null;
  isArchived: boolean;
  lastMessageAtMs: number;
  messages: number;
  /** What was said first. */
  begins: string;
};

/** `model`: the one that said it, where a run of ours did. */
export type Said = { messageId: string; role: Role; model: string | null; saidAtMs: number; text: string };

export type Reading = {
  threadId: string;
  title: string | null;
  /** In the order they were said. */
  messages: Said[];
  /** How many earlier ones of the branch were left out. */
  earlier: number;
};

export type RecentThreads = {
  /**
   * Threads of this workspace in which something was said from `after` until before `before` (milliseconds since 1970),
   * the last one first; none of the trash.
   */
  list(wish: {
    workspaceId: string;
    after?: number | undefined;
    before?: number | undefined;
    archived?: boolean | undefined;
    exceptThreadId?: string | undefined;
    limit: number;
  }): Promise<Recent[]>;
  /**
   * The end of the branch that was shown last, or of the one that ends in `untilMessageId`; `undefined` for a thread
   * that is not this workspace's, or in the trash.
   */
  read(wish: {
    workspaceId: string;
    threadId: string;
    untilMessageId?: string | undefined;
    messages: number;
    characters: number;
  }): Promise<Reading | undefined>;
};

const beginsCharacters = 200;

export function createRecentThreads({ db }: { db: Database }): RecentThreads {
  return {
    async list(wish) {
      const found = await rows.findThreads(db, wish);
      const begins = await rows.findBeginnings(
        db,
        found.map(({ threadId }) => threadId),
        beginsCharacters,
      );
      return found.map((thread) => ({
        ...thread,
        isArchived: thread.archived === 1,
        lastMessageAtMs: thread.lastMessageAtMs,
        messages: begins.get(thread.threadId)?.messages ?? 0,
        begins: begins.get(thread.threadId)?.text ?? "",
      }));
    },
    async read({ workspaceId, threadId, untilMessageId, messages, characters }) {
      const thread = await rows.findThread(db, workspaceId, threadId);
      if (thread === undefined) return undefined;
      const branch = await rows.readBranch(db, threadId, untilMessageId, messages, characters);
      const kept: Said[] = [];
      let left = characters;
      for (const message of branch.messages) {
        if (left <= 0) break;
        kept.unshift({ ...message, text: message.text.slice(0, left) });
        left -= message.text.length;
      }
      return { threadId, title: thread.title, messages: kept, earlier: branch.height + 1 - kept.length };
    },
  };
}
