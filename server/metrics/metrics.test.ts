import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../lib/clock.ts";
import { modelsMax, renderMetricsPage } from "./definitions.ts";
import { createMetrics } from "./metrics.ts";

test("docs/metrics.md lists every metric", async () => {
  const path = join(import.meta.dirname, "..", "..", "docs", "metrics.md");
  const remedy = "generate it again: node scripts/run.mjs vitest run server/metrics --update=all";
  await expect(renderMetricsPage(), remedy).toMatchFileSnapshot(path);
});

test("models beyond the limit share one time series", async () => {
  const metrics = createMetrics({ clock: systemClock });
  for (let i = 0; i < modelsMax + 10; i++)
    metrics.runEnded({ state: "completed", model: `model-${i}`, usage: {} });
  const lines = (await metrics.render()).text.split("\n").filter((line) => line.startsWith("parlance_runs"));
  expect(lines).toHaveLength(modelsMax + 1);
  expect(lines).toContain('parlance_runs_total{state="completed",model="other"} 10');
});

test("a value that cannot be read does not hide the others", async () => {
  const metrics = createMetrics({ clock: systemClock });
  metrics.readAtScrape({
    parlance_runs_in_progress: () => 3,
    parlance_queued_messages: () => Promise.reject(new Error("the database is away")),
    parlance_database_size_bytes: () => 4_096,
  });
  const { text } = await metrics.render();
  expect(text).toContain("parlance_runs_in_progress 3\n");
  expect(text).toContain("parlance_queued_messages Nan\n");
  expect(text).toContain("parlance_database_size_bytes 4096\n");
});
