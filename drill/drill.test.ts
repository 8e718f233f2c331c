import { describe, expect, test } from "vitest";
import { engines } from "#tests/support/postgres/postgres.ts";
import { drills, unavailableReason } from "./drills.ts";
import { isGood, runDrill } from "./run-drill.ts";

/** 3 minutes: a dozen server starts and an expiring lease, on a machine that is busy with other tests. */
const timeout = 180_000;

/** Faults that do not depend on the database. Two servers, with two clocks, need PostgreSQL. */
const oneEngine: Readonly<Record<string, string>> = {
  "readers-cut": "sqlite",
  "model-cut": "sqlite",
  clock: "postgres",
};

const isSqliteOnly = !engines.includes("postgres");

// The short form of `npm run drill`: every drill with six users, one failure and a new seed.
describe.concurrent("nothing acknowledged or seen is lost, and no run stays running", () => {
  for (const [name, drill] of Object.entries(drills)) {
    // Runs on SQLite alone must be quick: one drill.
    if (isSqliteOnly && name !== "kill") continue;
    for (const engine of drill.engines.filter((each) => engines.includes(each))) {
      if (engine !== (oneEngine[name] ?? engine)) continue;
      test(`when ${drill.about} (${engine})`, { timeout }, async ({ skip }) => {
        const reason = unavailableReason(drill, engine);
        if (reason !== undefined) skip(reason);
        const seed = 1 + Math.floor(Math.random() * 2 ** 31);
        const result = await runDrill(name, drill, engine, { rounds: 1, people: 6, seed });
        expect(
          isGood(result),
          `${name} on ${engine}, seed ${seed}: ${JSON.stringify(result, undefined, 2)}`,
        ).toBe(true);
        expect(result.inProgress.mean).toBeGreaterThan(0);
      });
    }
  }
});
