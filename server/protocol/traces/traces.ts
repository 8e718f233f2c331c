import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import {
  telemetryWorkspace,
  type TraceExport,
  type TraceExportResponse,
} from "#contract/endpoints/traces.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { RawResponse, type Visitor } from "#server/lib/route.ts";
import type { Threads } from "#server/threads/threads.ts";
import { operationOf, spanRow } from "./otlp/gen-ai.ts";
import { readSpans, type OtlpSpan } from "./otlp/spans.ts";
import * as reportRows from "../reports/report-rows.ts";
import { areTextsDue, withoutTextAttributes } from "../retention/span-texts.ts";
import { mergeSpans } from "./merge-spans.ts";
import * as rows from "#server/runs/rows.ts";
import * as spanRows from "./span-rows.ts";

/** Runs that an application's telemetry (OpenTelemetry traces) describes. */
export type Traces = {
  /**
   * Stores the spans of models and tools. Each trace becomes one run, or completes the run that was reported with it.
   * Other spans are not stored, but the response reports them as accepted. It has the encoding of the export. A repeated export
   * changes nothing. Throws `bad-export`.
   */
  add(visitor: Visitor, exported: TraceExport): Promise<TraceExportResponse | RawResponse>;
};

/** The encoding in protobuf. Loaded with the first export that has it, because most servers receive none. */
const protobuf = async () => await import("./otlp/otlp-schema.ts");

/** The messages in one response. */
const errorsMax = 10;

type NamedThread = { id: string; workspaceId: string };

export function createTraces(options: { db: Database; threads: Threads; clock: Clock }): Traces {
  const { db, threads, clock } = options;

  async function saveTrace(visitor: Visitor, traceId: string, spans: OtlpSpan[]): Promise<number> {
    return await db.write(async (tx) => {
      const known = await spanRows.lockTrace(tx, visitor.appId, traceId);
      const thread = await threadOf(tx, visitor, spans);
      const runId = known ?? (await findOrCreateRun(tx, visitor, traceId, thread));
      if (known !== null && thread !== undefined) await assignThread(tx, known, traceId, thread);
      const isEmptied = await areTextsDue(tx, (await rows.findRunAnywhere(tx, runId))!, clock.now());
      const before = new Set((await spanRows.listSpans(tx.q, runId)).map((span) => span.span_id));
      let rejected = 0;
      for (const span of spans) {
        if (!before.has(span.spanId) && before.size >= limits.traceSpans) {
          rejected += 1;
          continue;
        }
        before.add(span.spanId);
        const row = spanRow(span, operationOf(span)!, runId);
        await spanRows.saveSpan(tx, isEmptied ? { ...row, ...noTexts } : row);
      }
      await mergeSpans(tx, runId, isEmptied ? spans.map(withoutTexts) : spans);
      return rejected;
    });
  }

  /** Locks the thread that the spans name, if it is in the key's app. */
  async function threadOf(tx: Tx, visitor: Visitor, spans: OtlpSpan[]): Promise<NamedThread | undefined> {
    const id = spans
      .map(({ attributes }) => attributes["gen_ai.conversation.id"])
      .find((value) => typeof value === "string");
    return typeof id === "string" ? await threads.lockInApp(tx, visitor.appId, cleanText(id)) : undefined;
  }

  async function findOrCreateRun(
    tx: Tx,
    visitor: Visitor,
    traceId: string,
    thread: NamedThread | undefined,
  ): Promise<string> {
    const workspaceId =
      thread === undefined && visitor.workspaceName !== telemetryWorkspace ? visitor.workspaceId : undefined;
    const found = await spanRows.findReportOfTrace(tx, visitor.appId, traceId, {
      threadId: thread?.id,
      workspaceId,
    });
    const runId = found ?? (await createRun(tx, visitor, traceId, thread));
    await spanRows.setRunOfTrace(tx, visitor.appId, traceId, runId);
    return runId;
  }

  /** Gives a run without a thread the thread that its later spans name. */
  async function assignThread(tx: Tx, runId: string, traceId: string, thread: NamedThread): Promise<void> {
    const report = await reportRows.findReport(tx, runId);
    if (report === undefined || report.thread_id !== null) return;
    if ((await reportRows.findReportedRunId(tx, thread.id, traceId)) !== undefined) return;
    await rows.changeRun(tx, runId, { thread_id: thread.id, workspace_id: thread.workspaceId });
    await reportRows.updateReport(tx, runId, { thread_id: thread.id });
  }

  async function createRun(
    tx: Tx,
    visitor: Visitor,
    traceId: string,
    thread: NamedThread | undefined,
  ): Promise<string> {
    const nowMs = clock.now();
    const id = newId("run", nowMs);
    await rows.insertRun(tx, {
      ...rows.blankRun,
      id,
      origin: "reported",
      app_id: visitor.appId,
      workspace_id: thread?.workspaceId ?? visitor.workspaceId,
      user_id: visitor.userId,
      thread_id: thread?.id ?? null,
      state: "completed",
      created_at: nowMs,
    });
    await reportRows.insertReport(tx, {
      run_id: id,
      thread_id: thread?.id ?? null,
      trace_id: traceId,
      status: "completed",
      outcome_type: null,
      error_code: null,
      provider: null,
      environment: null,
      release: null,
      service_name: null,
      agent_name: null,
      reported: 0,
      tags: "[]",
      attributes: "{}",
      details: "{}",
    });
    return id;
  }

  return {
    async add(visitor, exported) {
      const { spans, broken } = readSpans(await decode(exported));
      const accepted = spans.filter((span) => operationOf(span) !== undefined);
      const others = spans.length - accepted.length;
      const errors: string[] = [];
      if (broken > 0) errors.push(`${broken} spans have no valid id or start`);
      if (others > 0) errors.push(`${others} spans are not of generative AI`);
      let rejected = broken + others;
      // A transaction for each trace, so that one that cannot be stored does not affect the others.
      for (const [traceId, ofTrace] of Map.groupBy(accepted, (span) => span.traceId)) {
        const overLimit = await saveTrace(visitor, traceId, ofTrace);
        if (overLimit > 0) errors.push(`Trace ${traceId} has more than ${limits.traceSpans} spans`);
        rejected += overLimit;
      }
      const partial =
        rejected === 0
          ? undefined
          : {
              rejectedSpans: rejected,
              errorMessage: errors.slice(0, errorsMax).join("; "),
            };
      if (exported.encoding === "protobuf")
        return new RawResponse("application/x-protobuf", (await protobuf()).writeResponse(partial));
      return partial === undefined ? {} : { partialSuccess: partial };
    },
  };
}

const noTexts = { input: null, output: null, attributes: "{}" };

function withoutTexts(span: OtlpSpan): OtlpSpan {
  return { ...span, attributes: withoutTextAttributes(span.attributes) };
}

async function decode(exported: TraceExport): Promise<unknown> {
  if (exported.encoding === "json") return exported.json;
  const { readExport } = await protobuf();
  try {
    return readExport(exported.bytes);
  } catch (cause) {
    throw new AppError("bad-export", { cause });
  }
}
