import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";

/** The SQL of searches by folder and tag. Names are compared as `labelKey` returns them. */

/** The threads of the workspace, or those of `among`, with all of these tags and none of those. */
export async function findTagged(
  db: Database,
  workspaceId: string,
  tags: { all: string[]; none: string[] },
  among: string[] | undefined,
): Promise<string[]> {
  const tagged = (name: string) =>
    db.readWorker
      .selectFrom("labels")
      .innerJoin("thread_tags", "thread_tags.label_id", "labels.id")
      .where("labels.workspace_id", "=", workspaceId)
      .where("labels.kind", "=", "tag")
      .where("labels.name_key", "=", name)
      .select("thread_tags.thread_id");
  let query = threadsOf(db, workspaceId, among);
  for (const name of tags.all) query = query.where("threads.id", "in", tagged(name));
  for (const name of tags.none) query = query.where("threads.id", "not in", tagged(name));
  return (await query.execute()).map(({ id }) => id);
}

/** The threads in the folder with this name. */
export async function findInFolder(
  db: Database,
  workspaceId: string,
  name: string,
  among: string[] | undefined,
): Promise<string[]> {
  const folder = db.readWorker
    .selectFrom("labels")
    .where("workspace_id", "=", workspaceId)
    .where("kind", "=", "folder")
    .where("name_key", "=", name)
    .select("labels.id");
  const query = threadsOf(db, workspaceId, among).where("threads.folder_id", "in", folder);
  return (await query.execute()).map(({ id }) => id);
}

/** The names of the tags of each of these threads, by name. Threads without tags are missing. */
export async function findTagNames(db: Database, threadIds: string[]): Promise<Map<string, string[]>> {
  if (threadIds.length === 0) return new Map();
  const tags = await db.readWorker
    .selectFrom("thread_tags")
    .innerJoin("labels", "labels.id", "thread_tags.label_id")
    .where("thread_tags.thread_id", "in", idsOf(db, threadIds))
    .select(["thread_tags.thread_id", "labels.name"])
    .orderBy("labels.name_key")
    .execute();
  const byThread = Map.groupBy(tags, (tag) => tag.thread_id);
  return new Map([...byThread].map(([id, ofThread]) => [id, ofThread.map(({ name }) => name)]));
}

function threadsOf(db: Database, workspaceId: string, among: string[] | undefined) {
  return db.readWorker
    .selectFrom("threads")
    .where("threads.workspace_id", "=", workspaceId)
    .where("threads.deleted_at", "is", null)
    .$if(among !== undefined, (query) => query.where("threads.id", "in", idsOf(db, among ?? [])))
    .select("threads.id");
}
