import type { JsonObject } from "#contract/json.ts";
import type { Tx } from "#storage/database/database.ts";
import { truncateAttributes, textOf, unmapped } from "./otlp/gen-ai.ts";
import type { OtlpSpan } from "./otlp/spans.ts";
import * as reportRows from "../reports/report-rows.ts";
import * as rows from "#server/runs/rows.ts";
import { listedCostMicros } from "../prices.ts";
import { summarizeSpans, type SpanSummary } from "./summarize-spans.ts";
import * as spanRows from "./span-rows.ts";

/**
 * Updates a run from all its spans; `fresh` are the spans of the present export. Measurements of spans override reported
 * ones, and fields that the spans do not have stay. The end, user and thread of a reported run stay as reported.
 */
export async function mergeSpans(tx: Tx, runId: string, fresh: readonly OtlpSpan[]): Promise<void> {
  const summary = summarizeSpans(await spanRows.listSpans(tx.q, runId));
  const report = await reportRows.findReport(tx, runId);
  if (summary === undefined || report === undefined) return;
  const { attributes = {}, resource = {} } =
    fresh.find(({ spanId }) => spanId === summary.root.span_id) ?? {};
  const isReported = report.reported === 1;
  const user = textOf(attributes, ["user.id", "enduser.id"], 255);
  const earlier = JSON.parse(report.attributes) as JsonObject;
  const details = JSON.parse(report.details) as JsonObject;
  await rows.changeRun(tx, runId, {
    ...nonNull(summary.figures),
    ...(details.cost_usd == null ? nonNull({ cost_micros: costOf(summary, report.provider) }) : {}),
    ...(isReported ? {} : summary.end),
    ...(isReported || user === null ? {} : { user_id: user }),
  });
  await reportRows.updateReport(tx, runId, {
    ...(isReported ? {} : summary.outcome),
    provider: summary.provider ?? report.provider,
    service_name: textOf(resource, ["service.name"], 255) ?? report.service_name,
    agent_name: textOf(attributes, ["gen_ai.agent.name"], 255) ?? report.agent_name,
    release: report.release ?? textOf(resource, ["service.version"], 255),
    environment:
      report.environment ?? textOf(resource, ["deployment.environment.name", "deployment.environment"], 64),
    attributes: JSON.stringify(truncateAttributes({ ...unmapped(attributes), ...earlier })),
    details: JSON.stringify({ ...details, ...nonNull(summary.details) }),
  });
}

function costOf({ provider, figures }: SpanSummary, reportedProvider: string | null): number | null {
  return listedCostMicros({
    provider: provider ?? reportedProvider,
    model: figures.model,
    input: figures.input_tokens,
    output: figures.output_tokens,
    cached: figures.cached_tokens,
    atMs: figures.started_at!,
  });
}

/** The fields that are neither null nor undefined. */
function nonNull<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<T>;
}
