/** What rooms write SQL with. The query builder is imported here and in `storage/` only. */
export { sql } from "kysely";
export type { Expression, ExpressionBuilder, Kysely, RawBuilder, SelectQueryBuilder, SqlBool } from "kysely";
