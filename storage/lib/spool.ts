import { rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { StorageFullError } from "./errors.ts";

/**
 * Rows on the disk, to sort and group more of them than memory holds. The file is not durable: it is deleted when it is
 * closed.
 */
export type Spool = {
  /** Adds a JSON value to the group `key` of a kind. Groups are sorted by `order`, then as they were added. */
  put(kind: string, key: string, order: number, value: unknown): void;
  /** The keys of a kind, sorted. */
  keys(kind: string): Generator<string>;
  /** The values of a group, one at a time. */
  values(kind: string, key: string): Generator;
  /** The number of values of a group, and their approximate bytes. */
  sizeOf(kind: string, key: string): { count: number; bytes: number };
  close(): Promise<void>;
};

const cacheKib = 16 * 1024;
/** SQLite's code for a full disk. */
const fullCode = 13;

/** Creates the file at `path`. */
export function openSpool(path: string): Spool {
  const db = new DatabaseSync(path);
  db.exec(`pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive;
    pragma cache_size = -${cacheKib};
    create table rows (id integer primary key, kind text, key text, place real, value text);
    create index rows_by_key on rows (kind, key, place, id, length(value));
    begin`);
  const insert = db.prepare("insert into rows (kind, key, place, value) values (?, ?, ?, ?)");
  const nextKey = db.prepare("select min(key) as key from rows where kind = ? and key > ?");
  const selectGroup = "select value from rows where kind = ? and key = ? order by place, id";
  const size = db.prepare(
    "select count(*) as count, sum(length(value)) as bytes from rows where kind = ? and key = ?",
  );
  return {
    put(kind, key, order, value) {
      try {
        insert.run(kind, key, order, JSON.stringify(value));
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== fullCode) throw error;
        throw new StorageFullError("There is no space to sort an import; nothing was stored.", {
          cause: error,
        });
      }
    },
    *keys(kind) {
      for (let key = ""; ;) {
        const next = nextKey.get(kind, key)?.["key"];
        if (typeof next !== "string") return;
        yield (key = next);
      }
    },
    *values(kind, key) {
      // A statement of its own: callers read a group while they read another one.
      for (const { value } of db.prepare(selectGroup).iterate(kind, key))
        yield JSON.parse(String(value)) as unknown;
    },
    sizeOf(kind, key) {
      const { count, bytes } = size.get(kind, key)!;
      return { count: Number(count), bytes: Number(bytes) };
    },
    async close() {
      db.close();
      await rm(path, { force: true });
    },
  };
}
