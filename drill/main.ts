import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drills, missingFor } from "./drills.ts";
import { isGood, runDrill, type Result } from "./run.ts";
import type { EngineName } from "./stage.ts";
import { table } from "./table.ts";

/**
 * `npm run drill` plays every drill, `npm run drill -- kill clock --engine sqlite --rounds 200` only those. Prints a
 * table of counts, keeps it in `bench/results/drill.json`, and ends with 1 where anything was lost.
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
  fail("--engine is sqlite or postgres.");

// What was started ends with us, also on Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
console.log(`Seed ${seed}: the same again with --seed ${seed}.\n`);
const results: Result[] = [];
const skipped: { drill: string; engine: EngineName; because: string }[] = [];
for (const [name, drill] of Object.entries(drills)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  for (const engine of drill.engines) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    const because = missingFor(drill, engine);
    console.log(
      `${name} on ${engine}: ${drill.about}${because === undefined ? "" : ` (skipped: ${because})`}`,
    );
    if (because !== undefined) {
      skipped.push({ drill: name, engine, because });
      continue;
    }
    const result = await runDrill(name, drill, engine, { rounds, people, seed, say: console.log });
    results.push(result);
    for (const line of result.wrong) console.log(`  ! ${line}`);
    keep(result);
  }
}
console.log(`\n${table(results)}`);
for (const { drill, engine, because } of skipped) console.log(`Skipped: ${drill} on ${engine}, ${because}.`);
const isAllGood = results.length > 0 && results.every(isGood);
console.log(isAllGood ? "\nNothing was lost." : "\nSOMETHING WAS LOST.");
process.exit(isAllGood ? 0 : 1);

function numberOf(name: "rounds" | "people" | "seed"): number {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1) fail(`--${name} is a whole number from 1 on.`);
  return number;
}

function fail(words: string): never {
  console.error(words);
  process.exit(2);
}

/** Each drill's last result stays until it is played again. */
function keep(result: Result): void {
  const folder = join(import.meta.dirname, "..", "bench", "results");
  const path = join(folder, "drill.json");
  mkdirSync(folder, { recursive: true });
  const others = keptIn(path).filter(
    ({ drill, engine }) => drill !== result.drill || engine !== result.engine,
  );
  const machine = { processors: cpus().length, model: cpus()[0]?.model, node: process.version };
  const kept = { date: new Date().toISOString(), machine, people, seed, ...result };
  writeFileSync(path, `${JSON.stringify([...others, kept], undefined, 2)}\n`);
}

function keptIn(path: string): { drill: string; engine: string }[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { drill: string; engine: string }[];
  } catch {
    return [];
  }
}
