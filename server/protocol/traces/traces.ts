import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import { telemetryWorkspace, type TraceExport, type TraceExported } from "#contract/endpoints/traces.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { RawAnswer, type Visitor } from "#server/lib/route.ts";
import type { Threads } from "#server/threads/threads.ts";
import { operationOf, spanRow } from "./otlp/gen-ai.ts";
import { readExport, writeAnswer } from "./otlp/schema.ts";
import { spansOf, type OtlpSpan } from "./otlp/spans.ts";
import * as reportRows from "../reports/report-rows.ts";
import { retell } from "./merge-spans.ts";
import * as rows from "#server/runs/rows.ts";
import * as spanRows from "./span-rows.ts";

/** Runs that an application's own telemetry tells of. */
export type Traces = {
  /**
   * Keeps the spans of models and tools, and makes of each trace one run, or extends the one that was reported under it.
   * Spans of other things are not kept, and counted in the answer, which has the encoding of the export. The same again
   * changes nothing. Throws `bad-export`.
   */
  add(visitor: Visitor, exported: TraceExport): Promise<TraceExported | RawAnswer>;
};

/** More than a few say nothing new. */
const complaintsMax = 10;

type NamedThread = { id: string; workspaceId: string };

export function createTraces(options: { db: Database; threads: Threads; clock: Clock }): Traces {
  const { db, threads, clock } = options;

  async function keepTrace(visitor: Visitor, traceId: string, spans: OtlpSpan[]): Promise<number> {
    return await db.write(async (tx) => {
      const known = await spanRows.holdTrace(tx, visitor.projectId, traceId);
      const thread = await threadOf(tx, visitor, spans);
      const runId = known ?? (await findOrMakeRun(tx, visitor, traceId, thread));
      if (known !== null && thread !== undefined) await place(tx, known, traceId, thread);
      const before = new Set((await spanRows.listSpans(tx.q, runId)).map((span) => span.span_id));
      let rejected = 0;
      for (const span of spans) {
        if (!before.has(span.spanId) && before.size >= limits.traceSpans) {
          rejected += 1;
          continue;
        }
        before.add(span.spanId);
        await spanRows.putSpan(tx, spanRow(span, operationOf(span)!, runId));
      }
      await retell(tx, runId, spans);
      return rejected;
    });
  }

  /** The thread that the spans name, held, where it is one of the key's project. */
  async function threadOf(tx: Tx, visitor: Visitor, spans: OtlpSpan[]): Promise<NamedThread | undefined> {
    const id = spans
      .map(({ attributes }) => attributes["gen_ai.conversation.id"])
      .find((value) => typeof value === "string");
    return typeof id === "string"
      ? await threads.holdInProject(tx, visitor.projectId, cleanText(id))
      : undefined;
  }

  async function findOrMakeRun(
    tx: Tx,
    visitor: Visitor,
    traceId: string,
    thread: NamedThread | undefined,
  ): Promise<string> {
    const workspaceId =
      thread === undefined && visitor.workspaceName !== telemetryWorkspace ? visitor.workspaceId : undefined;
    const found = await spanRows.findReportOfTrace(tx, visitor.projectId, traceId, {
      threadId: thread?.id,
      workspaceId,
    });
    const runId = found ?? (await makeRun(tx, visitor, traceId, thread));
    await spanRows.nameRunOfTrace(tx, visitor.projectId, traceId, runId);
    return runId;
  }

  /** A run that came without a thread is of the first one that its later spans name. */
  async function place(tx: Tx, runId: string, traceId: string, thread: NamedThread): Promise<void> {
    const report = await reportRows.findReport(tx, runId);
    if (report === undefined || report.thread_id !== null) return;
    if ((await reportRows.findReported(tx, thread.id, traceId)) !== undefined) return;
    await rows.changeRun(tx, runId, { thread_id: thread.id, workspace_id: thread.workspaceId });
    await reportRows.changeReport(tx, runId, { thread_id: thread.id });
  }

  async function makeRun(
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
      project_id: visitor.projectId,
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
      const { spans, broken } = spansOf(unpacked(exported));
      const counted = spans.filter((span) => operationOf(span) !== undefined);
      const others = spans.length - counted.length;
      const complaints: string[] = [];
      if (broken > 0) complaints.push(`${broken} spans have no valid id or start`);
      if (others > 0) complaints.push(`${others} spans are not of generative AI`);
      let rejected = broken + others;
      // One after another: a trace that fails to be kept must not take the others along.
      for (const [traceId, each] of Map.groupBy(counted, (span) => span.traceId)) {
        const cut = await keepTrace(visitor, traceId, each);
        if (cut > 0) complaints.push(`Trace ${traceId} has more than ${limits.traceSpans} spans`);
        rejected += cut;
      }
      const partial =
        rejected === 0
          ? undefined
          : {
              rejectedSpans: rejected,
              errorMessage: complaints.slice(0, complaintsMax).join("; "),
            };
      if (exported.encoding === "protobuf")
        return new RawAnswer("application/x-protobuf", writeAnswer(partial));
      return partial === undefined ? {} : { partialSuccess: partial };
    },
  };
}

function unpacked(exported: TraceExport): unknown {
  if (exported.encoding === "json") return exported.json;
  try {
    return readExport(exported.bytes);
  } catch (cause) {
    throw new AppError("bad-export", { cause });
  }
}
