import { statfs } from "node:fs/promises";
import type { Command } from "commander";
import { examine, type Diagnosis, type Named } from "#server/admin/doctor/doctor.ts";
import { bytesFaults, bytesNotes, mendBytes } from "#server/admin/doctor/bytes.ts";
import { mend } from "#server/admin/doctor/mend.ts";
import type { Blobs } from "#storage/blobs/blobs.ts";
import type { S3Place } from "#storage/blobs/s3-place.ts";
import { tryCors } from "#storage/blobs/s3-cors.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { Snapshot } from "#storage/backup/snapshot.ts";
import { withSnapshot } from "#storage/backup/open-snapshot.ts";
import { migrations } from "#storage/migrations/list.ts";
import type { Door } from "./open-database.ts";
import { CommandError } from "./errors.ts";

/** `doctor`: whether the database keeps its own rules. */
export function doctor(program: Command, door: Door): void {
  program
    .command("doctor")
    .description("check the database against its own rules; reads only, and the server may be running")
    .option("--mend", "set right what can be without losing anything; with SQLite no server may be running")
    .action(async (options: { mend?: true }) => {
      const { databaseUrl, databaseDirectUrl: directUrl, dataDir, files, publicUrl } = door.config();
      const blobs = await openBlobs({ dataDir, s3: files.s3 });
      if (options.mend === true) {
        const done = await door.withDatabaseAlone(async (db) => ({
          ...(await mend(db, door.clock.now())),
          "bytes of no file": await mendBytes(db, blobs, door.clock.now()),
        }));
        for (const [deed, count] of Object.entries(done)) if (count > 0) door.note(`${deed}: ${count}`);
      }
      const diagnosis = await withSnapshot(
        { databaseUrl: directUrl ?? databaseUrl, dataDir },
        async (snapshot) => await look(snapshot, door, blobs),
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
      door.answer({ text: words(diagnosis), json: diagnosis });
      const { length } = diagnosis.faults;
      if (length > 0)
        throw new CommandError(length === 1 ? "One thing is not well." : `${length} things are not well.`);
    });
}

/** Whether servers of this PostgreSQL would hear each other. */
async function notificationFaults(url: string, directUrl: string | undefined): Promise<Named[]> {
  const { checkNotifications } = await import("#storage/database/postgres/pooler.ts");
  const trouble = await checkNotifications(url, directUrl);
  if (trouble === undefined) return [];
  return [{ check: "notifications", about: trouble.about, count: 1, ids: [], remedy: trouble.remedy }];
}

/** Whether pages may send files to the bucket. */
async function corsFaults(place: S3Place, origin: string): Promise<Named[]> {
  const trouble = await tryCors(place, origin);
  return trouble === undefined ? [] : [{ check: "cors", count: 1, ids: [], ...trouble }];
}

async function look(snapshot: Snapshot, door: Door, blobs: Blobs): Promise<Diagnosis> {
  const missing = Object.keys(migrations).filter((name) => !snapshot.migrations.includes(name));
  if (missing.length > 0) {
    const fault: Named = {
      check: "version",
      about: "migrations of this version are missing, so nothing else was looked at",
      count: missing.length,
      ids: missing,
      remedy: "Start the server, or type cli migrate; then ask again.",
    };
    return { checks: ["version"], faults: [fault], notes: [] };
  }
  const nowMs = door.clock.now();
  const diagnosis = await examine({ engine: snapshot.engine, nowMs, rows: snapshot.rows });
  diagnosis.checks.unshift("version");
  diagnosis.checks.push("files");
  diagnosis.faults.push(...(await bytesFaults({ rows: snapshot.rows, nowMs }, blobs)));
  diagnosis.notes.push(...(await bytesNotes(nowMs, blobs)));
  if (snapshot.engine === "postgres") {
    // Not `now()`, which stands still at the beginning of the transaction.
    const [row] = await snapshot.rows("select extract(epoch from clock_timestamp()) * 1000 as ms");
    const apartMs = Math.abs(Number(row?.ms) - door.clock.now());
    if (apartMs > clockApartMs)
      diagnosis.faults.push({
        check: "clock",
        about: `the clocks of the database and of this machine are ${Math.round(apartMs / 1000)} seconds apart`,
        count: 1,
        ids: [],
        remedy: "Set both right (NTP): leases are told by them.",
      });
  }
  return diagnosis;
}

/** 5 s: a third of a lease. */
const clockApartMs = 5_000;
/** 512 MiB, or a twentieth of the disk where that is less. */
const diskFreeBytes = 512 * 1024 * 1024;

async function diskFaults(dataDir: string): Promise<Named[]> {
  const disk = await statfs(dataDir).catch(() => undefined);
  if (disk === undefined) return [];
  const free = disk.bavail * disk.bsize;
  if (free >= Math.min(diskFreeBytes, (disk.blocks * disk.bsize) / 20)) return [];
  return [
    {
      check: "disk",
      about: `only ${Math.floor(free / 1024 / 1024)} MiB are free on the disk of ${dataDir}`,
      count: 1,
      ids: [],
      remedy: "Free some space: answers cannot be kept on a full disk.",
    },
  ];
}

function words({ checks, faults, notes }: Diagnosis): string {
  const lines = [...faults, ...notes].map(({ check, about, count, ids, remedy }) =>
    [
      `${check}: ${ids.length === 0 ? about : `${count} × ${about}`}. ${remedy}`,
      ...ids.map((id) => `  ${id}`),
      ...(count > ids.length && ids.length > 0 ? [`  and ${count - ids.length} more`] : []),
    ].join("\n"),
  );
  if (faults.length === 0) lines.push(`All is well. Looked at: ${checks.join(", ")}.`);
  return lines.join("\n");
}
