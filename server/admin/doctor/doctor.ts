import { cycles } from "./cycles.ts";
import { engineCheck } from "./engine-checks.ts";
import type { Finding, Snapshot } from "./check.ts";
import { replies } from "./check-replies.ts";
import { clockRules, rules, waitingRuns } from "./rules.ts";

/** `faults` need a repair; `notes` resolve themselves, or are advice. */
export type Diagnosis = { checks: string[]; faults: CheckedFinding[]; notes: CheckedFinding[] };
export type CheckedFinding = Finding & { check: string };

/** Runs all checks on a database of the current schema version, without writing. */
export async function examine(snapshot: Snapshot): Promise<Diagnosis> {
  const diagnosis: Diagnosis = { checks: [], faults: [], notes: [] };
  for (const check of [engineCheck, ...rules, cycles, replies, ...clockRules(snapshot)]) {
    if (!diagnosis.checks.includes(check.name)) diagnosis.checks.push(check.name);
    for (const finding of await check.find(snapshot))
      diagnosis.faults.push({ check: check.name, ...finding });
  }
  const waiting = waitingRuns(snapshot);
  for (const finding of await waiting.find(snapshot))
    diagnosis.notes.push({ check: waiting.name, ...finding });
  return diagnosis;
}
