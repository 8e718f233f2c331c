import type { Snapshot } from "#storage/backup/snapshot.ts";
import type { CheckedFinding, Diagnosis } from "./doctor.ts";
import type { Installation } from "./installation.ts";

const dayMs = 86_400_000;
/** A backup is made each day; one may fail and be made later. */
const oldAfterMs = 2 * dayMs;

/** Whether the server makes backups, and whether the last one is recent. */
export async function backupFindings(
  { rows }: Pick<Snapshot, "rows">,
  { backupsAreSet, publicUrl }: Installation,
  nowMs: number,
): Promise<Pick<Diagnosis, "faults" | "notes">> {
  const stored = await rows("select updated_at from backup_settings");
  if (!backupsAreSet && stored.length === 0)
    return {
      faults: [],
      // Who uses it alone decides that without advice.
      notes:
        publicUrl === undefined
          ? []
          : [
              finding(
                "the server makes no backups on a schedule",
                "Set them up under Administration > Backups or with BACKUP_FOLDER, unless something else makes them.",
              ),
            ],
    };
  const [state] = await rows("select last_success_at, last_failure_text, failures from backup_state");
  const successMs = Number(state?.last_success_at ?? 0);
  const why = Number(state?.failures ?? 0) > 0 ? ` (${String(state?.last_failure_text)})` : "";
  if (successMs >= nowMs - oldAfterMs && why === "") return { faults: [], notes: [] };
  // The first one is due within a day.
  const isNew = stored.some(({ updated_at: at }) => Number(at) > nowMs - oldAfterMs);
  if (why === "" && successMs === 0 && (isNew || state === undefined)) return { faults: [], notes: [] };
  const about =
    successMs === 0
      ? `no backup on the schedule was complete yet${why}`
      : successMs < nowMs - oldAfterMs
        ? `the last complete backup is ${Math.floor((nowMs - successMs) / dayMs)} days old${why}`
        : `the last backup failed${why}`;
  return {
    faults: [finding(about, "See Administration > Backups, and make one now when the reason is gone.")],
    notes: [],
  };
}

function finding(about: string, remedy: string): CheckedFinding {
  return { check: "backups", about, count: 1, ids: [], remedy };
}
