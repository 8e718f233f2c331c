import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { contains } from "../lib/page.ts";
import { sql } from "#storage/database/sql.ts";
import { isUnsentTemporarySql } from "#storage/database/temporary-files.ts";
import { filesWith } from "../search/files/find-files.ts";
import { selectStoredFiles, type StoredFile } from "./rows.ts";

/** The SQL of the lists of a person's files. */

export type Owner = { workspaceId: string; userId: string };
export type Sort = "newest" | "oldest" | "name" | "largest";

const orders = {
  newest: { by: "files.created_at", direction: "desc" },
  oldest: { by: "files.created_at", direction: "asc" },
  name: { by: "files.name", direction: "asc" },
  largest: { by: "files.size_bytes", direction: "desc" },
} as const;

type Filter = {
  /** Part of the name in any case, or words of the name and the text. */
  text: string | undefined;
  /** The part of the type before the slash: `image`. */
  kind: string | undefined;
  threadId: string | undefined;
};

/** Whether the file is neither only in temporary threads nor unsent and for one. */
const isLasting = sql<boolean>`(files.released_at is null or not ${sql.raw(isUnsentTemporarySql)}) and not (
  exists (
    select 1 from file_claims inner join threads on threads.id = file_claims.thread_id
    where file_claims.file_id = files.id and threads.temporary_until is not null
  )
  and not exists (
    select 1 from file_claims inner join threads on threads.id = file_claims.thread_id
    where file_claims.file_id = files.id and threads.temporary_until is null
  )
)`;

/** A page of a person's files, strictly after `after`; without those of temporary threads. */
export async function listFiles(
  db: Database,
  owner: Owner,
  { text, kind, threadId }: Filter,
  sort: Sort,
  after: StoredFile | undefined,
  limit: number,
): Promise<StoredFile[]> {
  const { by, direction } = orders[sort];
  // A search in texts takes long.
  let query = selectStoredFiles(text === undefined ? db.read : db.readWorker)
    .where("files.workspace_id", "=", owner.workspaceId)
    .where("files.created_by", "=", owner.userId)
    .where(isLasting)
    .orderBy(by, direction)
    .orderBy("files.id", direction)
    .limit(limit);
  if (text !== undefined) {
    const named = contains("files.name", text);
    const found = filesWith(db, owner.workspaceId, text);
    query = query.where((is) => (found === undefined ? named : is.or([named, is("files.id", "in", found)])));
  }
  if (kind !== undefined) query = query.where("files.type", "like", `${kind}/%`);
  if (threadId !== undefined)
    query = query.where("files.id", "in", (is) =>
      is.selectFrom("file_claims").select("file_id").where("thread_id", "=", threadId),
    );
  if (after !== undefined) {
    const place = {
      newest: after.created_at,
      oldest: after.created_at,
      name: after.name,
      largest: after.size_bytes,
    };
    query = query.where((is) =>
      is(
        is.refTuple(by, "files.id"),
        direction === "desc" ? "<" : ">",
        is.tuple(place[sort] as never, after.id),
      ),
    );
  }
  return (await query.execute()) as StoredFile[];
}

/** The person's recent files without bytes. The bytes may be in the bucket already. */
export async function pendingOf(db: Database, owner: Owner, since: number, limit: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom("files")
    .select("id")
    .where("workspace_id", "=", owner.workspaceId)
    .where("created_by", "=", owner.userId)
    .where("blob_key", "is", null)
    .where("created_at", ">=", since)
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export type FileThread = { file_id: string; id: string; title: string | null };

/** The threads whose messages reference these files, without those in the trash and temporary ones. */
export async function threadsOf(db: Database, fileIds: string[]): Promise<FileThread[]> {
  if (fileIds.length === 0) return [];
  return await db.read
    .selectFrom("file_claims")
    .innerJoin("threads", "threads.id", "file_claims.thread_id")
    .select(["file_claims.file_id", "threads.id", "threads.title"])
    .distinct()
    .where("file_claims.file_id", "in", idsOf(db, fileIds))
    .where("threads.deleted_at", "is", null)
    .where("threads.temporary_until", "is", null)
    .orderBy("threads.id")
    .execute();
}
