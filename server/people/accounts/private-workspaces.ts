import { sql, type RawBuilder } from "#storage/database/sql.ts";

/**
 * SQL: whether the workspace in `column` belongs to nobody with an account. Reads of a whole app see only these,
 * because the content of people with an account, or with an invitation to their own chats, is private from the operator's
 * backends too.
 */
export function hasNoAccount(column: string): RawBuilder<boolean> {
  // A list and not `exists`, which PostgreSQL may evaluate for each row.
  return sql<boolean>`${sql.ref(column)} not in (
    select workspace_id from users where joined_at is not null or id in (select user_id from prepared_people))`;
}
