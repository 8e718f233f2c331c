import type { Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";

/** How much the installation stores. */
export async function countStored(
  q: Kysely<Tables>,
): Promise<{ people: number; threads: number; files: number; file_bytes: number }> {
  const [people, threads, files] = await Promise.all([
    q
      .selectFrom("users")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("joined_at", "is not", null)
      .executeTakeFirstOrThrow(),
    q
      .selectFrom("threads")
      .select(({ fn }) => fn.countAll().as("count"))
      .executeTakeFirstOrThrow(),
    q
      .selectFrom("blobs")
      .select(({ fn }) => [fn.countAll().as("count"), fn.sum("size_bytes").as("bytes")])
      .executeTakeFirstOrThrow(),
  ]);
  return {
    people: Number(people.count),
    threads: Number(threads.count),
    files: Number(files.count),
    file_bytes: Number(files.bytes ?? 0),
  };
}
