import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

type OwnerColumn = "user_id" | "workspace_id";
type OwnedTable<C extends OwnerColumn> = {
  [T in keyof Tables]: C extends keyof Tables[T] ? T : never;
}[keyof Tables];
type Person = { userId: string; workspaceId: string };

/**
 * The rows of a table that belong to people of this server. `column` says whose a row is: `user_id` for what is a person's
 * own, or `workspace_id` for what belongs to a workspace. `owner` is what rows have there; null for what everybody has.
 *
 * The backend of an app can give its users any ids, also those of people of this server. So `move` and `erase` only find
 * the rows of people who have these workspaces.
 */
export function ownedRows<C extends OwnerColumn, T extends OwnedTable<C>>(name: T, column: C) {
  // A table like any other here: the compiler checks the rows of `T` where they come in and go out.
  const table = name as "labels";
  const is = (owner: string | null) =>
    owner === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${owner}`;
  const set = (change: object) => change as RowChange<"labels">;

  /** Selects the owners among these people. */
  const theirs = (tx: Tx, userId: string, workspaceIds: readonly string[]) =>
    column === "workspace_id"
      ? idsOf(tx, workspaceIds)
      : tx.q
          .selectFrom("users")
          .select("id")
          .where("id", "=", userId)
          .where("workspace_id", "in", idsOf(tx, workspaceIds));

  return {
    /** The row with this id, of any person. */
    async find(q: Kysely<Tables>, id: string): Promise<Row<T> | undefined> {
      return (await q.selectFrom(table).selectAll().where("id", "=", id).executeTakeFirst()) as
        | Row<T>
        | undefined;
    },

    async list(q: Kysely<Tables>, owner: string): Promise<Row<T>[]> {
      return (await q.selectFrom(table).selectAll().where(is(owner)).orderBy("id").execute()) as Row<T>[];
    },

    /** `columns`: values that the counted rows have in other columns. */
    async count(q: Kysely<Tables>, owner: string | null, columns: Partial<Row<T>> = {}): Promise<number> {
      let query = q
        .selectFrom(table)
        .select((select) => select.fn.countAll().as("count"))
        .where(is(owner));
      for (const [other, value] of Object.entries(columns))
        query = query.where(sql<boolean>`${sql.ref(other)} = ${value}`);
      return Number((await query.executeTakeFirstOrThrow()).count);
    },

    /** Throws if another row has the id: `writeOnce` then looks again. */
    async insert(tx: Tx, row: NewRow<T>): Promise<void> {
      await tx.q
        .insertInto(table)
        .values(row as NewRow<"labels">)
        .execute();
    },

    /** Returns whether this owner has the row. */
    async update(tx: Tx, owner: string | null, id: string, change: RowChange<T>): Promise<boolean> {
      const { numUpdatedRows } = await tx.q
        .updateTable(table)
        .set(set({ ...change, id }))
        .where("id", "=", id)
        .where(is(owner))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Returns whether this owner had the row. */
    async remove(tx: Tx, owner: string | null, id: string): Promise<boolean> {
      const { numDeletedRows } = await tx.q
        .deleteFrom(table)
        .where("id", "=", id)
        .where(is(owner))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Gives a guest's rows to the account that the guest signs in to, unless that is a user of a backend. */
    async move(tx: Tx, { from, to }: { from: Person; to: Person }): Promise<void> {
      const there = theirs(tx, to.userId, [to.workspaceId]);
      await tx.q
        .updateTable(table)
        .set(set({ [column]: column === "user_id" ? to.userId : to.workspaceId }))
        .where(sql<boolean>`${sql.ref(column)} in ${theirs(tx, from.userId, [from.workspaceId])}`)
        .where(sql<boolean>`exists ${there}`)
        .execute();
    },

    /** Deletes what belongs to a person. `workspaceIds`: those of the person. */
    async erase(tx: Tx, { userId }: { userId: string }, workspaceIds: string[]): Promise<void> {
      await tx.q
        .deleteFrom(table)
        .where(sql<boolean>`${sql.ref(column)} in ${theirs(tx, userId, workspaceIds)}`)
        .execute();
    },
  };
}
