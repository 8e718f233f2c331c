import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../lib/clock.ts";
import { definitions, modelsMax } from "./definitions.ts";
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
    parlance_backup_last_success_timestamp_seconds: () => 1,
    parlance_backup_last_failure_timestamp_seconds: () => 0,
  });
  const { text } = await metrics.render();
  expect(text).toContain("parlance_runs_in_progress 3\n");
  expect(text).toContain("parlance_queued_messages Nan\n");
  expect(text).toContain("parlance_database_size_bytes 4096\n");
});

/** The text of `docs/metrics.md`. */
function renderMetricsPage(): string {
  const rows = Object.entries(definitions).map(([name, { type, help, labels }]) => {
    const names = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${names} | ${help} |`;
  });
  return `# Metrics

The server offers metrics in Prometheus's text format at \`/metrics\`. They are off by default. There are two ways to turn
them on:

* \`METRICS_PORT=9464\` serves them on a port of their own, at the address of \`HOST\`. Keep that port closed to strangers.
* \`METRICS_TOKEN=…\` serves them on the main port, to requests with \`Authorization: Bearer …\`. With both settings, the
  separate port requires the token too.

\`\`\`yaml
scrape_configs:
  - job_name: parlance
    authorization: { credentials: the-token }
    static_configs: [{ targets: ["chat.example.com:3000"] }]
\`\`\`

The number of time series is limited: routes are patterns, and after ${modelsMax} models further ones count as \`other\`.
No metric names a person, a thread or a file. A gauge that cannot be read within a second is \`NaN\`. This page is
generated from \`server/metrics/definitions.ts\`.

| Metric | Type | Labels | Meaning |
|---|---|---|---|
${rows.join("\n")}

In addition there are prom-client's metrics of the process and of Node, which begin with \`process_\` and \`nodejs_\`.
The most useful ones are \`nodejs_eventloop_lag_p99_seconds\` (the delay of the event loop),
\`process_resident_memory_bytes\`, \`process_cpu_seconds_total\` and \`nodejs_gc_duration_seconds\`.
`;
}
