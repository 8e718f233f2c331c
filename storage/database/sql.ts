/** The query builder for code outside `storage/`, which may not import kysely itself. */
export { sql } from "kysely";
export type { Expression, Kysely, RawBuilder, SqlBool } from "kysely";
