import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Bench, Figure } from "./support/report.ts";
import { withServices } from "./support/services.ts";
import { stampede } from "./support/stampede.ts";
import { askStamped } from "./support/stamped.ts";

const counts = [1, 50, 200, 1_000];
const aimedCommits = 25;
const windowMs = 5_000;

/** How often answers are committed: one transaction serves all runs of a tick. */
export const commits: Bench = {
  about:
    "commits of answers each second, by the number of runs at 20 tokens/s; one for each token is the baseline",
  async run() {
    const figures: Figure[] = [];
    for (const runs of counts) {
      figures.push(
        await withServices(async ({ server, person }) => {
          const { window, tokensPerSecond } = await stampede(
            server,
            { runs, gapMs: 50, rampMs: runs * 25, windowMs },
            (tokens, hear) => askStamped(person, tokens, hear),
          );
          const ours = (commitsIn(server.dataDir, window) * 1_000) / (window[1] - window[0]);
          return {
            what: `${runs === 1 ? "1 run" : `${runs} runs`}: commits each second`,
            unit: "",
            ours,
            baseline: tokensPerSecond,
            against: "tokens each second",
            aim: `at most ${aimedCommits}`,
            met: ours <= aimedCommits,
          };
        }),
      );
    }
    return figures;
  },
};

/** Entries of one transaction bear one time; two transactions never share a millisecond, for a tick is 50. */
function commitsIn(dataDir: string, [fromMs, toMs]: [number, number]): number {
  const db = new DatabaseSync(join(dataDir, "parlance.db"), { readOnly: true });
  try {
    const row = db
      .prepare(
        "select count(distinct created_at) as commits from log_entries where topic like 'run:%' and created_at between ? and ?",
      )
      .get(fromMs, toMs);
    return Number(row?.commits);
  } finally {
    db.close();
  }
}
