import type { Role } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import * as rows from "./recent-threads-rows.ts";

/** A summary of a thread. */
export type RecentThread = {
  threadId: string;
  title: string | null;
  isArchived: boolean;
  lastMessageAtMs: number;
  messages: number;
  /** The beginning of the first message. */
  begins: string;
};

/** `model` wrote the message, if a run did. */
export type ThreadMessage = {
  messageId: string;
  role: Role;
  model: string | null;
  saidAtMs: number;
  text: string;
};

export type ThreadExcerpt = {
  threadId: string;
  title: string | null;
  /** In chronological order. */
  messages: ThreadMessage[];
  /** How many earlier messages of the branch are left out. */
  earlier: number;
};

export type RecentThreads = {
  /**
   * Threads of this workspace with messages from `after` until before `before` (milliseconds since 1970), the latest first,
   * without the trash.
   */
  list(filter: rows.RecentThreadsFilter): Promise<RecentThread[]>;
  /**
   * The end of the branch that was shown last, or of the one that ends in `untilMessageId`. `undefined` if the thread is
   * in another workspace or in the trash.
   */
  read(filter: {
    workspaceId: string;
    threadId: string;
    untilMessageId?: string | undefined;
    messages: number;
    characters: number;
  }): Promise<ThreadExcerpt | undefined>;
};

const beginsCharacters = 200;

export function createRecentThreads({ db }: { db: Database }): RecentThreads {
  return {
    async list(filter) {
      const found = await rows.findThreads(db, filter);
      const beginnings = await rows.findBeginnings(
        db,
        found.map(({ threadId }) => threadId),
        beginsCharacters,
      );
      return found.map((thread) => ({
        ...thread,
        isArchived: thread.archived === 1,
        lastMessageAtMs: thread.lastMessageAtMs,
        messages: beginnings.get(thread.threadId)?.messages ?? 0,
        begins: beginnings.get(thread.threadId)?.text ?? "",
      }));
    },
    async read({ workspaceId, threadId, untilMessageId, messages, characters }) {
      const thread = await rows.findThread(db, workspaceId, threadId);
      if (thread === undefined) return undefined;
      const branch = await rows.readBranch(db, threadId, untilMessageId, messages, characters);
      const kept: ThreadMessage[] = [];
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
