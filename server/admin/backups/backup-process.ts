import { createInterface } from "node:readline";
import type { BackupProblem, RestoreProblem } from "#contract/backups/backups.ts";
import type { RestoreProgress } from "#contract/backups/endpoints.ts";
import { ArchiveError, type ArchiveLine } from "#storage/backup/archive.ts";
import { WrongPassphraseError } from "#storage/backup/encryption.ts";
import { makeBackup, TargetDamagedError } from "#storage/backup/scheduled-backup.ts";
import { openTarget, storedArchive, type BackupTarget } from "#storage/backup/target.ts";
import { BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { DatabaseInUseError } from "#storage/database/sqlite/lock.ts";
import { SchemaVersionError, StorageBusyError, StorageFullError } from "#storage/lib/errors.ts";
import { restoreBackup, type RestorePlace } from "./restore-backup.ts";

/**
 * Makes or restores a backup, in a process of its own: reading a database of SQLite blocks its thread. The task is the first
 * line of the standard input. When that ends, the server has ended, and this process stops. Writes lines of JSON.
 */
export type BackUpTask = {
  kind: "back-up";
  place: RestorePlace;
  target: BackupTarget;
  installation: string;
  passphrase: string;
  /** The server's secret, which is part of the backup. */
  secret: string;
  keepDays: number;
  version: string;
  nowMs: number;
};
export type RestoreTask = {
  kind: "restore";
  place: RestorePlace;
  target: BackupTarget;
  name: string;
  passphrase: string;
  actor: { id: string; address?: string };
  nowMs: number;
};

export type BackedUp = {
  name: string;
  sizeBytes: number;
  damaged: number;
  removed: number;
  rows: Record<string, number>;
};
export type ProcessMessage =
  | { done: BackedUp | null }
  | { failed: BackupProblem | RestoreProblem; text: string }
  | { progress: Pick<RestoreProgress, "state" | "rows" | "rows_total"> };

const write = (message: ProcessMessage): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

const stopped = new AbortController();
const input = createInterface(process.stdin);
input.once("line", (line) => void perform(JSON.parse(line) as BackUpTask | RestoreTask));
input.once("close", () => {
  stopped.abort(new Error("the server has ended"));
  // A restore has its transaction; a backup removes what it has written.
  setTimeout(() => process.exit(1), 5_000).unref();
});

async function perform(task: BackUpTask | RestoreTask): Promise<void> {
  let message: ProcessMessage;
  try {
    message = { done: task.kind === "back-up" ? await backUp(task) : await restore(task) };
  } catch (error) {
    message = { failed: problemOf(error, task.kind), text: (error as Error).message };
  }
  process.stdout.write(`${JSON.stringify(message)}\n`, () => process.exit());
}

async function backUp({ kind: _, place, secret, ...task }: BackUpTask): Promise<BackedUp> {
  const { databaseUrl, databaseDirectUrl, dataDir, s3 } = place;
  const made = await makeBackup({
    ...task,
    place: { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir },
    files: [{ name: "secret", text: `${secret}\n` }],
    blobs: await openBlobs({ dataDir, s3 }),
    signal: stopped.signal,
  });
  const { name, sizeBytes, damaged, removed, contents } = made;
  return { name, sizeBytes, damaged: damaged.length, removed: removed.length, rows: contents.rows };
}

async function restore({ place, target, name, passphrase, actor, nowMs }: RestoreTask): Promise<null> {
  const store = await openTarget(target);
  const checked = counter("checking");
  const restored = counter("restoring");
  await restoreBackup({
    place,
    source: storedArchive(store, name, passphrase),
    // The server made sure that there is nothing but itself.
    replace: true,
    actor,
    details: { file: name },
    nowMs,
    log: () => {},
    onCheckedLine: checked.add,
    onLine: (line) => restored.add(line, checked.rows()),
  });
  return null;
}

/** Reports progress four times a second. */
function counter(state: "checking" | "restoring") {
  let rows = 0;
  let reportedMs = -Infinity;
  return {
    rows: () => rows,
    add(line: ArchiveLine, total: number | null = null): void {
      stopped.signal.throwIfAborted();
      if (line.type !== "row") return;
      rows += 1;
      if (performance.now() - reportedMs < 250) return;
      reportedMs = performance.now();
      write({ progress: { state, rows, rows_total: total } });
    },
  };
}

function problemOf(error: unknown, kind: "back-up" | "restore"): BackupProblem | RestoreProblem {
  if (error instanceof StorageFullError) return kind === "restore" ? "disk-full" : "target-full";
  if (error instanceof BlobsUnreachableError) return "target-unusable";
  if (error instanceof TargetDamagedError) return "target-damaged";
  if (kind === "back-up") return "other";
  if (error instanceof WrongPassphraseError) return "wrong-passphrase";
  if (error instanceof ArchiveError) return "damaged";
  if (error instanceof SchemaVersionError) return "newer-version";
  if (error instanceof StorageBusyError || error instanceof DatabaseInUseError) return "in-use";
  return "other";
}
