import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Bench, Figure } from "../support/report.ts";
import { withServices } from "../support/services.ts";
import { streamManyRuns } from "../support/stream-many-runs.ts";
import { askForTimestamps } from "../support/timestamped-answers.ts";

const counts = [1, 50, 200, 1_000];
const maxCommits = 25;
const windowMs = 5_000;

/** How often answers are committed: one transaction per flush interval stores the events of all runs. */
export const commits: Bench = {
  about:
    "commits of answers each second, by the number of runs at 20 tokens/s; one for each token is the baseline",
  async run() {
    const figures: Figure[] = [];
    for (const runs of counts) {
      figures.push(
        await withServices(async ({ server, person }) => {
          const { window, tokensPerSecond } = await streamManyRuns(
            server,
            { runs, gapMs: 50, rampMs: runs * 25, windowMs },
            (tokens, hear) => askForTimestamps(person, tokens, hear),
          );
          const ours = (commitsIn(server.dataDir, window) * 1_000) / (window[1] - window[0]);
          return {
            what: `${runs === 1 ? "1 run" : `${runs} runs`}: commits each second`,
            unit: "",
            ours,
            baseline: tokensPerSecond,
            against: "tokens each second",
            aim: `at most ${maxCommits}`,
            met: ours <= maxCommits,
          };
        }),
      );
    }
    return figures;
  },
};

/** All entries of a transaction have the same time, and transactions are at least 50 ms apart. */
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
