import { join } from "node:path";
import { newId } from "#contract/ids.ts";
import { ask, type User } from "../support/parlance.ts";
import { root } from "../support/process.ts";
import type { Bench } from "../support/report.ts";
import { withServices } from "../support/services.ts";

const stages = 14;
/** Then the cache of recent log entries, 10,000 topics, is full (`storage/database/recent-entries.ts`). */
const fullAfter = 12;
const runsPerStage = 1_000;
const concurrency = 10;
const growthMax = 1.02;

/** Whether the memory of a server levels off. Each run is short and in a new thread. */
export const memory: Bench = {
  about: `heap of the server after a garbage collection, during ${stages * runsPerStage} short runs`,
  run: async () =>
    await withServices(
      async ({ server, person }) => {
        const heapMiB: number[] = [];
        for (let stage = 1; stage <= stages; stage++) {
          await Promise.all(Array.from({ length: concurrency }, async () => await askInTurn(person)));
          process.kill(server.pid, "SIGUSR2");
          const [, size] = await server.printed(new RegExp(`heap ${stage}: ([\\d.]+) MiB`));
          heapMiB.push(Number(size));
        }
        console.log(
          `  after each ${runsPerStage} runs: ${heapMiB.map((size) => size.toFixed(1)).join(", ")}`,
        );
        const [full, end] = [heapMiB[fullAfter - 1]!, heapMiB.at(-1)!];
        return [
          {
            what: `heap after ${stages * runsPerStage} runs`,
            unit: "MiB",
            ours: end,
            baseline: full,
            against: `after ${fullAfter * runsPerStage}`,
            aim: `at most ${growthMax} ×`,
            met: end <= growthMax * full,
          },
          { what: "resident memory then", unit: "MiB", ours: server.residentMiB() },
        ];
      },
      { NODE_OPTIONS: `--expose-gc --import ${join(root, "bench/support/heap-size.mjs")}` },
    ),
};

async function askInTurn(person: User): Promise<void> {
  for (let run = 0; run < runsPerStage / concurrency; run++)
    await ask(person, newId("thread"), "tokens=20 gap=0", () => {});
}
