import { describe, expect, test } from "vitest";
import { engines } from "#tests/support/postgres.ts";
import { drills, missingFor } from "./drills.ts";
import { isGood, runDrill } from "./run.ts";

/** 3 minutes: a dozen starts of servers and a lease that runs out, on a machine that is busy with other tests. */
const timeout = 180_000;

const isQuickHalf = !engines.includes("postgres");

// The short form of `npm run drill`: every drill, a few people, two rounds, another seed each time.
describe.concurrent("nothing is lost, nothing seen is taken back, and nothing is left running", () => {
  for (const [name, drill] of Object.entries(drills)) {
    // The quick half is to stay quick: one of them, on SQLite.
    if (isQuickHalf && name !== "kill") continue;
    for (const engine of drill.engines.filter((each) => engines.includes(each))) {
      test(`when ${drill.about} (${engine})`, { timeout }, async ({ skip }) => {
        const because = missingFor(drill, engine);
        if (because !== undefined) skip(because);
        const seed = 1 + Math.floor(Math.random() * 2 ** 31);
        const result = await runDrill(name, drill, engine, { rounds: 2, people: 6, seed });
        expect(
          isGood(result),
          `${name} on ${engine}, seed ${seed}: ${JSON.stringify(result, undefined, 2)}`,
        ).toBe(true);
        expect(result.underWay.mean).toBeGreaterThan(0);
      });
    }
  }
});
