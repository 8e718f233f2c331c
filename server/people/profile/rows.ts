import type { Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, Tables } from "#storage/database/tables.ts";

/** The SQL of what people set about themselves on every device. */

export type ProfileRow = Omit<Row<"profiles">, "picture" | "updated_at">;

const withoutPicture = [
  "user_id",
  "language",
  "time_zone",
  "default_model",
  "default_assistant_id",
  "picture_id",
] as const;

export async function findProfile(q: Kysely<Tables>, userId: string): Promise<ProfileRow | undefined> {
  return await q
    .selectFrom("profiles")
    .select(withoutPicture)
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

/** Columns that `change` does not name stay as they are. */
export async function putProfile(
  tx: Tx,
  userId: string,
  change: Omit<NewRow<"profiles">, "user_id">,
): Promise<void> {
  await tx.q
    .insertInto("profiles")
    .values({ user_id: userId, ...change })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(change))
    .execute();
}

/** A `data:` URL. */
export async function findPicture(q: Kysely<Tables>, pictureId: string): Promise<string | undefined> {
  const row = await q
    .selectFrom("profiles")
    .select("picture")
    .where("picture_id", "=", pictureId)
    .executeTakeFirst();
  return row?.picture ?? undefined;
}
