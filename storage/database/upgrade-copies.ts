import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { programVersion } from "../lib/program-version.ts";

/** Whether a database is copied before it is migrated, and whether it may be migrated without a copy. */
export type CopyPolicy = "on" | "required" | "off";

export type UpgradeCopies = {
  policy?: CopyPolicy;
  /** Called with the path of a copy that was made. */
  onMade?: (path: string) => void;
  /** Called with the reason, a sentence, if none was made. */
  onNone?: (why: string) => void;
};

export type UpgradeCopy = {
  path: string;
  /** The version that migrated the database after this copy was made. */
  before: string;
  takenAtMs: number;
};

/** Two, so that a second upgrade that fails leaves the way back from the first. */
const keptCopies = 2;

/** The database in the data folder, or the dump of one on PostgreSQL: copies have this name and more. */
export const sqliteName = "parlance.db";
export const dumpName = "parlance.dump";

/** `2026-11-29T18:54:10.123Z` as `20261129T185410Z`. */
export const timeInName = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");

/**
 * Makes a copy of the database `base` (a path) with a name that has this version and the time, and deletes older ones.
 * `write` writes into an empty file that only this user may read. The copy has its name only when it is complete and on
 * the disk.
 */
export async function makeCopy(
  base: string,
  write: (unfinished: string) => Promise<void> | void,
): Promise<string> {
  const copy = `${base}.before-${programVersion()}-${timeInName(Date.now())}`;
  const unfinished = `${copy}.unfinished`;
  for (const name of namesOf(base)) if (name.endsWith(".unfinished")) rmSync(join(dirname(base), name));
  try {
    const created = openSync(unfinished, "wx", 0o600);
    try {
      await write(unfinished);
      fsyncSync(created);
    } finally {
      closeSync(created);
    }
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  const kept = new Set(
    copiesOf(base)
      .slice(0, keptCopies)
      .map(({ path }) => path),
  );
  for (const name of namesOf(base)) {
    const path = join(dirname(base), name);
    if (!kept.has(path)) rmSync(path, { force: true });
  }
  return copy;
}

/** The complete copies of the database `base`, the newest first. */
export function copiesOf(base: string): UpgradeCopy[] {
  const found = namesOf(base).flatMap((name) => {
    const [, before, ...digits] = /\.before-(.+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(name) ?? [];
    if (before === undefined) return [];
    const [year, month, day, ...time] = digits;
    const takenAtMs = Date.parse(`${year}-${month}-${day}T${time.join(":")}Z`);
    return [{ path: join(dirname(base), name), before, takenAtMs }];
  });
  return found.toSorted((a, b) => b.takenAtMs - a.takenAtMs);
}

/** How many bytes are missing for a copy of this size. */
export function missingBytes(folder: string, sizeBytes: number): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.max(0, sizeBytes - bavail * bsize);
}

function namesOf(base: string): string[] {
  return readdirSync(dirname(base)).filter((name) => name.startsWith(`${basename(base)}.before-`));
}
