import { sql, type RawBuilder } from "#storage/database/sql.ts";

/**
 * SQL: whether the workspace in `column` belongs to nobody with an account. Reads of a whole project see only these: the
 * content of people with an account is private, also from the operator's backends.
 */
export function hasNoAccount(column: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select 1 from users where users.workspace_id = ${sql.ref(column)} and users.joined_at is not null)`;
}
