import type { Change } from "#contract/changes.ts";
import type { CopyChanges } from "../../live/live.ts";
import { asMember } from "../present.ts";
import { listReaders, type ReaderRow } from "./rows.ts";

/** Copies the changes of shared threads into the feeds of their members. */
export const copyForMembers: CopyChanges = async (tx, announced) => {
  const ofThreads = Map.groupBy(
    announced.flatMap(({ workspaceId, changes }) => changes.map((change) => ({ workspaceId, change }))),
    ({ change }) => ownersThread(change),
  );
  ofThreads.delete(undefined);
  if (ofThreads.size === 0) return [];
  const readers = await listReaders(
    tx,
    [...ofThreads.keys()].filter((id) => id !== undefined),
  );
  return readers.flatMap((reader) => {
    const changes = ofThreads
      .get(reader.thread_id)!
      .filter(({ workspaceId }) => workspaceId === reader.owner_workspace_id)
      .flatMap(({ change }) => copyFor(reader, change) ?? []);
    return changes.length === 0 ? [] : [{ workspaceId: reader.workspace_id, changes }];
  });
};

/** The thread that `change` is about, unless the change was announced to its members alone. */
function ownersThread(change: Change): string | undefined {
  if (change.type === "thread-gone") return undefined;
  if (change.type !== "thread-put") return "thread_id" in change ? change.thread_id : undefined;
  const access = change.thread.sharing?.access ?? "owner";
  return access === "owner" ? change.thread.id : undefined;
}

function copyFor(reader: ReaderRow, change: Change): Change | undefined {
  if (change.type === "thread-put") {
    const { thread } = change;
    return thread.deleted_at === null
      ? { type: "thread-put", thread: asMember(thread, reader.access) }
      : { type: "thread-gone", thread_id: thread.id };
  }
  // Everyone has their own visible branch and their own ratings.
  const isPersonal = change.type === "head-put" || change.type === "feedback-put";
  return isPersonal && change.user_id !== reader.user_id ? undefined : change;
}
