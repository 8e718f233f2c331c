/** The messages between the server and the child process that reads a database. Both are of the same version. */

export type SqliteTask = {
  path: string;
  /** The tables that are read, in this order. Those that the database does not have are left out. */
  tables: readonly string[];
  /** Larger rows are only counted. */
  rowBytesMax: number;
};

export type SqliteRow = Record<string, string | number | null>;

export type SqliteMessage =
  /** Some rows of a table. */
  | { kind: "rows"; table: string; rows: SqliteRow[] }
  /** How many rows of a table are too large. */
  | { kind: "too-large"; table: string; count: number }
  | { kind: "done" }
  | { kind: "damaged"; cause: string };
