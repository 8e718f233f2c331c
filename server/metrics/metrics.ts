import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ErrorCode } from "#contract/errors.ts";
import type { RunEndState, Usage } from "#contract/run-events.ts";
import type { Clock } from "../lib/clock.ts";
import { programCommit } from "#server/lib/program.ts";
import { programVersion } from "#storage/lib/program-version.ts";
import { definitions, modelsMax } from "./definitions.ts";

/** What the modules report. Absent if metrics are off. */
export type Metrics = {
  requestEnded(request: {
    route: string;
    method: string;
    /** Absent if the client disconnected before the response. */
    status: number | undefined;
    /** Absent for streams. */
    durationMs: number | undefined;
  }): void;
  errorAnswered(code: ErrorCode): void;
  /** Call the result when the stream ends. */
  streamOpened(): () => void;
  firstToken(model: string | null, ms: number): void;
  runEnded(run: { state: RunEndState; model: string | null; usage: Usage }): void;
  /** A request of a run that was sent, or has ended. Counts the tokens that its model did not report. */
  requestRecorded(request: {
    model: string;
    is_estimated?: number | undefined;
    input_tokens?: number | null;
    output_tokens?: number | null;
  }): void;
  databaseWrite(ms: number): void;
  /** The values that are read at each scrape. */
  readAtScrape(gauges: Readonly<Record<ScrapedGauge, () => number | Promise<number>>>): void;
  /** All metrics in Prometheus's text format. */
  render(): Promise<{ contentType: string; text: string }>;
};

type ScrapedGauge =
  | "parlance_runs_in_progress"
  | "parlance_queued_messages"
  | "parlance_database_size_bytes"
  | "parlance_backup_last_success_timestamp_seconds"
  | "parlance_backup_last_failure_timestamp_seconds";

/** How long a scrape waits for one value. */
const readMaxMs = 1_000;

export function createMetrics({ clock }: { clock: Clock }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({ ...options("parlance_build_info"), registers: [registry] }).set(
    { version: programVersion(), commit: programCommit() ?? "" },
    1,
  );
  const counter = <N extends keyof typeof definitions>(name: N) =>
    new Counter({ ...options(name), registers: [registry] });
  const histogram = <N extends keyof typeof definitions>(name: N) =>
    new Histogram({ ...options(name), registers: [registry] });
  const requests = counter("parlance_http_requests_total");
  const durations = histogram("parlance_http_request_duration_seconds");
  const errors = counter("parlance_http_errors_total");
  const streams = new Gauge({ ...options("parlance_open_streams"), registers: [registry] });
  const runs = counter("parlance_runs_total");
  const firstTokens = histogram("parlance_time_to_first_token_seconds");
  const tokens = counter("parlance_tokens_total");
  const estimatedTokens = counter("parlance_estimated_tokens_total");
  const writes = histogram("parlance_database_write_seconds");
  const modelLabel = createBoundedLabel(modelsMax);

  return {
    requestEnded({ route, method, status, durationMs }) {
      const statusClass = status === undefined ? "aborted" : `${Math.floor(status / 100)}xx`;
      requests.inc({ route, method, status: statusClass });
      if (durationMs !== undefined) durations.observe({ route, method }, durationMs / 1_000);
    },
    errorAnswered: (code) => errors.inc({ code }),
    streamOpened() {
      streams.inc();
      return () => streams.dec();
    },
    firstToken: (model, ms) => firstTokens.observe({ model: modelLabel(model) }, Math.max(0, ms) / 1_000),
    runEnded({ state, model: name, usage }) {
      const model = modelLabel(name);
      runs.inc({ state, model });
      for (const kind of ["input", "output", "reasoning", "cached"] as const) {
        const count = usage[kind] ?? 0;
        if (count > 0) tokens.inc({ kind, model }, count);
      }
    },
    requestRecorded({ model: name, is_estimated: isEstimated, input_tokens: input, output_tokens: output }) {
      if (isEstimated !== 1) return;
      const model = modelLabel(name);
      estimatedTokens.inc({ kind: "input", model }, input ?? 0);
      estimatedTokens.inc({ kind: "output", model }, output ?? 0);
    },
    databaseWrite: (ms) => writes.observe(ms / 1_000),
    readAtScrape(gauges) {
      for (const [name, read] of Object.entries(gauges) as [ScrapedGauge, () => number | Promise<number>][])
        registry.registerMetric(
          new Gauge({
            ...options(name),
            registers: [],
            async collect() {
              this.set(await readInTime(read, clock));
            },
          }),
        );
    },
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function options(name: keyof typeof definitions) {
  const { help, labels, ...more } = definitions[name];
  return {
    name,
    help,
    labelNames: [...labels] as string[],
    ...("buckets" in more ? { buckets: [...more.buckets] } : {}),
  };
}

/** `NaN` if the value cannot be read, so that the others are still served. */
async function readInTime(read: () => number | Promise<number>, clock: Clock): Promise<number> {
  const done = new AbortController();
  try {
    const late = clock.sleep(readMaxMs, done.signal).then(
      () => Number.NaN,
      () => Number.NaN,
    );
    return await Promise.race([read(), late]);
  } catch {
    return Number.NaN;
  } finally {
    done.abort();
  }
}

/** The first `max` values become labels; later ones are `other`. */
function createBoundedLabel(max: number): (value: string | null) => string {
  const known = new Set<string>();
  return (value) => {
    if (value === null) return "none";
    if (!known.has(value) && known.size >= max) return "other";
    known.add(value);
    return value;
  };
}
