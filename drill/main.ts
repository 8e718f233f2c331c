import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drills, unavailableReason } from "./drills.ts";
import { isGood, runDrill, type Result } from "./run-drill.ts";
import type { EngineName } from "./environment.ts";
import { table } from "./table.ts";

/**
 * `npm run drill` runs every drill, `npm run drill -- kill clock --engine sqlite --rounds 200` only those. Prints a
 * table of counts, saves it to `bench/results/drill.json`, and exits with 1 if anything was lost.
 */
const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    people: { type: "string", default: "50" },
    seed: { type: "string" },
    engine: { type: "string" },
  },
  allowPositionals: true,
});
const rounds = numberOf("rounds");
const people = numberOf("people");
const seed = values.seed === undefined ? Date.now() % 2 ** 32 : numberOf("seed");
const unknown = positionals.filter((name) => !Object.hasOwn(drills, name));
if (unknown.length > 0)
  fail(`There is no drill ${unknown.join(", ")}. There are: ${Object.keys(drills).join(", ")}.`);
if (values.engine !== undefined && !["sqlite", "postgres"].includes(values.engine))
  fail("--engine must be sqlite or postgres.");

// process.exit runs the exit handlers that kill the child processes.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
console.log(`Seed ${seed}: the same again with --seed ${seed}.\n`);
const results: Result[] = [];
const skipped: { drill: string; engine: EngineName; reason: string }[] = [];
for (const [name, drill] of Object.entries(drills)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  for (const engine of drill.engines) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    const reason = unavailableReason(drill, engine);
    console.log(`${name} on ${engine}: ${drill.about}${reason === undefined ? "" : ` (skipped: ${reason})`}`);
    if (reason !== undefined) {
      skipped.push({ drill: name, engine, reason });
      continue;
    }
    const result = await runDrill(name, drill, engine, { rounds, people, seed, log: console.log });
    results.push(result);
    for (const line of result.problems) console.log(`  ! ${line}`);
    saveResult(result);
  }
}
console.log(`\n${table(results)}`);
for (const { drill, engine, reason } of skipped) console.log(`Skipped: ${drill} on ${engine}, ${reason}.`);
const isAllGood = results.length > 0 && results.every(isGood);
console.log(isAllGood ? "\nNothing was lost." : "\nSomething was lost.");
process.exit(isAllGood ? 0 : 1);

function numberOf(name: "rounds" | "people" | "seed"): number {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1) fail(`--${name} must be a positive integer.`);
  return number;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Replaces the last result of the same drill and engine. */
function saveResult(result: Result): void {
  const folder = join(import.meta.dirname, "..", "bench", "results");
  const path = join(folder, "drill.json");
  mkdirSync(folder, { recursive: true });
  const others = readResults(path).filter(
    ({ drill, engine }) => drill !== result.drill || engine !== result.engine,
  );
  const machine = { processors: cpus().length, model: cpus()[0]?.model, node: process.version };
  const saved = { date: new Date().toISOString(), machine, people, seed, ...result };
  writeFileSync(path, `${JSON.stringify([...others, saved], undefined, 2)}\n`);
}

function readResults(path: string): { drill: string; engine: string }[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { drill: string; engine: string }[];
  } catch {
    return [];
  }
}
