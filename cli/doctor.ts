import type { Command } from "commander";
import { diagnose } from "#server/admin/doctor/diagnose.ts";
import { installationOf } from "#server/admin/doctor/installation.ts";
import type { Diagnosis } from "#server/admin/doctor/doctor.ts";
import { repairBytes } from "#server/admin/doctor/stored-bytes.ts";
import { needsDataDir, prepareDataDir } from "#server/settings/data-dir.ts";
import { repair } from "#server/admin/doctor/repair.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./errors.ts";

/** `doctor`: checks the database for consistency. */
export function doctor(program: Command, context: CommandContext): void {
  program
    .command("doctor")
    .description("check the database for consistency; reads only, and the server may be running")
    .option("--repair", "repair what can be repaired without loss; with SQLite the server must be stopped")
    .action(async (options: { repair?: true }) => {
      const config = context.config();
      const { dataDir, files } = config;
      if (needsDataDir(config)) await prepareDataDir(dataDir);
      if (options.repair === true) {
        const blobs = await openBlobs({ dataDir, s3: files.s3 });
        const done = await context.withExclusiveDatabase(async (db) => ({
          ...(await repair(db, context.clock.now())),
          "bytes without a file": await repairBytes(db, blobs, context.clock.now()),
        }));
        for (const [repair, count] of Object.entries(done)) if (count > 0) context.log(`${repair}: ${count}`);
      }
      const diagnosis = await diagnose(installationOf(config), context.clock.now);
      context.print({ text: formatDiagnosis(diagnosis), json: diagnosis });
      const { length } = diagnosis.faults;
      if (length > 0) throw new CommandError(length === 1 ? "Found 1 problem." : `Found ${length} problems.`);
    });
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
