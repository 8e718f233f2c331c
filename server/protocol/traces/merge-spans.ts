import type { JsonObject } from "#contract/json.ts";
import type { Tx } from "#storage/database/database.ts";
import { fitting, textOf, untold } from "./otlp/gen-ai.ts";
import type { OtlpSpan } from "./otlp/spans.ts";
import * as reportRows from "../reports/report-rows.ts";
import * as rows from "#server/runs/rows.ts";
import { runOfSpans } from "./run-of-spans.ts";
import * as spanRows from "./span-rows.ts";

/**
 * Tells a run anew by all its spans; `fresh` are those that came just now. What spans measure goes before what a report
 * said, and what they do not say stays. How the run ended, whose and where it is stays as it was reported.
 */
export async function retell(tx: Tx, runId: string, fresh: readonly OtlpSpan[]): Promise<void> {
  const told = runOfSpans(await spanRows.listSpans(tx.q, runId));
  const report = await reportRows.findReport(tx, runId);
  if (told === undefined || report === undefined) return;
  const { attributes = {}, resource = {} } = fresh.find(({ spanId }) => spanId === told.root.span_id) ?? {};
  const isReported = report.reported === 1;
  const user = textOf(attributes, ["user.id", "enduser.id"], 255);
  await rows.changeRun(tx, runId, {
    ...known(told.figures),
    ...(isReported ? {} : told.end),
    ...(isReported || user === null || report.thread_id !== null ? {} : { user_id: user }),
  });
  const kept = JSON.parse(report.attributes) as JsonObject;
  const details = JSON.parse(report.details) as JsonObject;
  await reportRows.changeReport(tx, runId, {
    ...(isReported ? {} : told.outcome),
    provider: told.provider ?? report.provider,
    service_name: textOf(resource, ["service.name"], 255) ?? report.service_name,
    agent_name: textOf(attributes, ["gen_ai.agent.name"], 255) ?? report.agent_name,
    release: report.release ?? textOf(resource, ["service.version"], 255),
    environment:
      report.environment ?? textOf(resource, ["deployment.environment.name", "deployment.environment"], 64),
    attributes: JSON.stringify(fitting({ ...untold(attributes), ...kept })),
    details: JSON.stringify({ ...details, ...known(told.details) }),
  });
}

/** Those fields that say something. */
function known<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Partial<T>;
}
