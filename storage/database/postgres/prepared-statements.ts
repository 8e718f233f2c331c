import { randomBytes } from "node:crypto";

/**
 * A statement is prepared from its tenth use, so that those that are used once, or with a list of another length each time,
 * are not.
 */
const usesMin = 10;
/** A prepared statement takes memory in every connection: some 30 kB each. */
const statementsMax = 250;
/** Texts whose uses are counted. */
const countedMax = 2_000;
/** Longer texts have long lists, which seldom have the same length again. */
const lengthMax = 4_000;

export type PreparedStatements = ReturnType<typeof createPreparedStatements>;

/**
 * Names the statements that are used often. PostgreSQL parses and plans a statement with a name once for each connection,
 * and others every time, which takes longer than to execute most of ours.
 */
export function createPreparedStatements() {
  const uses = new Map<string, number>();
  const names = new Map<string, string>();
  // A pooler may hand on a connection with the statements of another process.
  const prefix = `parlance_${randomBytes(6).toString("hex")}`;
  let lastName = 0;
  return {
    /** The name of the statement with this text; undefined if it is not prepared. */
    nameOf(text: string): string | undefined {
      if (text.length > lengthMax) return undefined;
      const known = names.get(text);
      if (known !== undefined || names.size >= statementsMax) return known;
      const used = (uses.get(text) ?? 0) + 1;
      if (used < usesMin) {
        if (uses.size >= countedMax) uses.clear();
        uses.set(text, used);
        return undefined;
      }
      uses.delete(text);
      const name = `${prefix}_${++lastName}`;
      names.set(text, name);
      return name;
    },
    /** Gives every statement a new name, so that all connections prepare it again. */
    forget(): void {
      names.clear();
    },
  };
}
