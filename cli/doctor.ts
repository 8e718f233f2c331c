import { statfs } from "node:fs/promises";
import type { Command } from "commander";
import { examine, type Diagnosis, type CheckedFinding } from "#server/admin/doctor/doctor.ts";
import { bytesFaults, bytesNotes, repairBytes } from "#server/admin/doctor/bytes.ts";
import { repair } from "#server/admin/doctor/repair.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { S3Place } from "#storage/blobs/s3-place.ts";
import { checkCors } from "#storage/blobs/s3-cors.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { Snapshot } from "#storage/backup/snapshot.ts";
import { withSnapshot } from "#storage/backup/open-snapshot.ts";
import { migrations } from "#storage/migrations/list.ts";
import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./errors.ts";

/** `doctor`: checks the database for consistency. */
export function doctor(program: Command, context: CommandContext): void {
  program
    .command("doctor")
    .description("check the database for consistency; reads only, and the server may be running")
    .option("--repair", "repair what can be repaired without loss; with SQLite the server must be stopped")
    .action(async (options: { repair?: true }) => {
      const { databaseUrl, databaseDirectUrl: directUrl, dataDir, files, publicUrl } = context.config();
      const blobs = await openBlobs({ dataDir, s3: files.s3 });
      if (options.repair === true) {
        const done = await context.withExclusiveDatabase(async (db) => ({
          ...(await repair(db, context.clock.now())),
          "bytes without a file": await repairBytes(db, blobs, context.clock.now()),
        }));
        for (const [repair, count] of Object.entries(done)) if (count > 0) context.log(`${repair}: ${count}`);
      }
      const diagnosis = await withSnapshot(
        { databaseUrl: directUrl ?? databaseUrl, dataDir },
        async (snapshot) => await examineDatabase(snapshot, context, blobs),
      );
      diagnosis.faults.push(...(await diskFaults(dataDir)));
      diagnosis.checks.push("disk");
      if (databaseUrl !== undefined) {
        diagnosis.faults.push(...(await notificationFaults(databaseUrl, directUrl)));
        diagnosis.checks.push("notifications");
      }
      if (files.s3 !== undefined && publicUrl !== undefined) {
        diagnosis.faults.push(...(await corsFaults(files.s3, new URL(publicUrl).origin)));
        diagnosis.checks.push("cors");
      }
      context.print({ text: formatDiagnosis(diagnosis), json: diagnosis });
      const { length } = diagnosis.faults;
      if (length > 0) throw new CommandError(length === 1 ? "Found 1 problem." : `Found ${length} problems.`);
    });
}

/** Whether servers on this PostgreSQL receive each other's notifications. */
async function notificationFaults(url: string, directUrl: string | undefined): Promise<CheckedFinding[]> {
  const { checkNotifications } = await import("#storage/database/postgres/pooler.ts");
  const trouble = await checkNotifications(url, directUrl);
  if (trouble === undefined) return [];
  return [{ check: "notifications", about: trouble.about, count: 1, ids: [], remedy: trouble.remedy }];
}

/** Whether the bucket's CORS rules allow uploads from our pages. */
async function corsFaults(place: S3Place, origin: string): Promise<CheckedFinding[]> {
  const trouble = await checkCors(place, origin);
  return trouble === undefined ? [] : [{ check: "cors", count: 1, ids: [], ...trouble }];
}

async function examineDatabase(
  snapshot: Snapshot,
  context: CommandContext,
  blobs: Blobs,
): Promise<Diagnosis> {
  const missing = Object.keys(migrations).filter((name) => !snapshot.migrations.includes(name));
  if (missing.length > 0) {
    const fault: CheckedFinding = {
      check: "version",
      about: "the database lacks migrations of this version, so nothing else was checked",
      count: missing.length,
      ids: missing,
      remedy: "Start the server or run cli migrate, then run cli doctor again.",
    };
    return { checks: ["version"], faults: [fault], notes: [] };
  }
  const nowMs = context.clock.now();
  const diagnosis = await examine({ engine: snapshot.engine, nowMs, rows: snapshot.rows });
  diagnosis.checks.unshift("version");
  diagnosis.checks.push("files");
  diagnosis.faults.push(...(await bytesFaults({ rows: snapshot.rows, nowMs }, blobs)));
  diagnosis.notes.push(...(await bytesNotes(nowMs, blobs)));
  if (snapshot.engine === "postgres") {
    // Not `now()`, which is the start of the transaction.
    const [row] = await snapshot.rows("select extract(epoch from clock_timestamp()) * 1000 as ms");
    const apartMs = Math.abs(Number(row?.ms) - context.clock.now());
    if (apartMs > clockDifferenceMaxMs)
      diagnosis.faults.push({
        check: "clock",
        about: `the clocks of the database and of this machine differ by ${Math.round(apartMs / 1000)} seconds`,
        count: 1,
        ids: [],
        remedy: "Synchronise both with NTP: leases depend on them.",
      });
  }
  return diagnosis;
}

/** 5 s: a third of a lease. */
const clockDifferenceMaxMs = 5_000;
/** 512 MiB; on a disk below 10 GiB a twentieth of it is enough. */
const diskFreeMinBytes = 512 * 1024 * 1024;

async function diskFaults(dataDir: string): Promise<CheckedFinding[]> {
  const disk = await statfs(dataDir).catch(() => undefined);
  if (disk === undefined) return [];
  const free = disk.bavail * disk.bsize;
  if (free >= Math.min(diskFreeMinBytes, (disk.blocks * disk.bsize) / 20)) return [];
  return [
    {
      check: "disk",
      about: `only ${Math.floor(free / 1024 / 1024)} MiB are free on the disk of ${dataDir}`,
      count: 1,
      ids: [],
      remedy: "Free some space: answers cannot be stored on a full disk.",
    },
  ];
}

function formatDiagnosis({ checks, faults, notes }: Diagnosis): string {
  const lines = [...faults, ...notes].map(({ check, about, count, ids, remedy }) =>
    [
      `${check}: ${ids.length === 0 ? about : `${count} × ${about}`}. ${remedy}`,
      ...ids.map((id) => `  ${id}`),
      ...(count > ids.length && ids.length > 0 ? [`  and ${count - ids.length} more`] : []),
    ].join("\n"),
  );
  if (faults.length === 0) lines.push(`No problems found. Checked: ${checks.join(", ")}.`);
  return lines.join("\n");
}
