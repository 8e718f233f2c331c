import { cycles } from "./cycles.ts";
import { engineCheck } from "./engine-checks.ts";
import type { Finding, Reading } from "./reading.ts";
import { replies } from "./replies.ts";
import { clockRules, rules, waitingRuns } from "./rules.ts";

/** `faults` are to be set right; `notes` come right by themselves. Each names what it belongs to. */
export type Diagnosis = { checks: string[]; faults: Named[]; notes: Named[] };
export type Named = Finding & { check: string };

/** Looks at everything that must hold in a database, reading only. It must be of this version. */
export async function examine(reading: Reading): Promise<Diagnosis> {
  const diagnosis: Diagnosis = { checks: [], faults: [], notes: [] };
  for (const check of [engineCheck, ...rules, cycles, replies, ...clockRules(reading)]) {
    if (!diagnosis.checks.includes(check.name)) diagnosis.checks.push(check.name);
    for (const finding of await check.find(reading)) diagnosis.faults.push({ check: check.name, ...finding });
  }
  const waiting = waitingRuns(reading);
  for (const finding of await waiting.find(reading))
    diagnosis.notes.push({ check: waiting.name, ...finding });
  return diagnosis;
}
