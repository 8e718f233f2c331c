import type { WatchReaders } from "../../people/groups/groups.ts";
import type { Live } from "../../live/live.ts";
import { presentThread } from "../present.ts";
import { findThreads } from "../rows.ts";
import * as rows from "./rows.ts";

/** Tells the people of a changed group which shared threads they can read now, and which no longer. */
export function createWatchReaders({ live }: { live: Live }): WatchReaders {
  return async (tx, { groupId, userId }) => {
    const threadIds = await rows.listThreadsOfGroup(tx, groupId);
    const before = await rows.listReaders(tx, threadIds, userId);
    return async () => {
      const after = await rows.listReaders(tx, threadIds, userId);
      const had = accessByReader(before);
      const has = accessByReader(after);
      for (const reader of before)
        if (!has.has(keyOf(reader)))
          await live.announce(tx, reader.workspace_id, [
            { type: "thread-gone", thread_id: reader.thread_id },
          ]);
      const changed = after.filter((reader) => had.get(keyOf(reader)) !== reader.access);
      const threads = new Map((await findThreads(tx, threadIds)).map((thread) => [thread.id, thread]));
      for (const { thread_id: id, workspace_id: workspaceId, access } of changed) {
        const thread = threads.get(id);
        if (thread?.deleted_at !== null) continue;
        const change = { type: "thread-put" as const, thread: presentThread(thread, access) };
        await live.announce(tx, workspaceId, [change]);
      }
      // A thread whose only member was this group is no longer shared, which its owner sees.
      if (userId !== undefined) return;
      for (const thread of threads.values())
        await live.announce(tx, thread.workspace_id, [{ type: "thread-put", thread: presentThread(thread) }]);
    };
  };
}

const keyOf = ({ thread_id: threadId, user_id: userId }: rows.ReaderRow): string => `${threadId} ${userId}`;

function accessByReader(readers: readonly rows.ReaderRow[]) {
  return new Map(readers.map((reader) => [keyOf(reader), reader.access]));
}
