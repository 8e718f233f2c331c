import type { BodyOf } from "#contract/api.ts";
import { fold, foldOne, waitingCalls, type Reply } from "#contract/fold.ts";
import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { append, lastSeq } from "#storage/log/log.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { deniedWords } from "#server/parts/tool-call.ts";
import type { Visitor } from "#server/lib/route.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { AllowedTools } from "#server/threads/allowed-tools.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { Tools } from "#server/tools/tools.ts";
import { showRun, type Finished } from "./finish.ts";
import { readRunLog } from "../log/run-log.ts";
import type { RunCaps } from "./run-limits.ts";
import * as rows from "../rows.ts";
import type { Runner } from "../loop/runner.ts";
import { runTopic } from "../log/topics.ts";

/**
 * Runs that wait for a person. Nobody carries them: every process may take an answer, and the one that brings the last
 * of them carries the run on. Of two different answers to one call the first counts; the same answer again changes
 * nothing.
 *
 * Both throw `run-not-found`, `thread-not-found` (also for one in the trash), `call-not-found`, `call-answered`,
 * `call-not-waiting`, `run-ended` and, where the run would go on beside too many others, `too-many-runs`.
 */
export type WaitingRuns = {
  /** Allows or denies a call. */
  decide(visitor: Visitor, runId: string, body: BodyOf<"runs.approve">): Promise<void>;
  /** Answers a call of a tool that has no function of ours. Throws also `too-large` and a bad request for its shape. */
  giveResult(visitor: Visitor, runId: string, body: BodyOf<"runs.giveResult">): Promise<void>;
};

/** What a person says to one call. */
type Said = {
  toolCallId: string;
  wants: "approval" | "result";
  /** Whether its tool is not to ask in this thread any more. */
  always: boolean;
  /** Whether the call was answered in this very way before. */
  isRepeated(call: ToolCallPart): boolean;
  /** Of the call and, where it speaks for them too, of others. Throws where the call cannot be answered so. */
  events(call: ToolCallPart, part: number, reply: Reply, nowMs: number): RunEvent[];
};

type Standing = { reply: Reply; seq: number };

export function createWaitingRuns(options: {
  db: Database;
  clock: Clock;
  threads: Threads;
  allowedTools: AllowedTools;
  tools: Tools;
  runner: Runner;
  leaseOwner: string;
  finish: Finished;
  caps: RunCaps;
}): WaitingRuns {
  const { db, clock, threads, allowedTools, tools, runner, leaseOwner, finish, caps } = options;

  async function find(visitor: Visitor, runId: string): Promise<rows.RunRow> {
    const run = await rows.findRun(db, visitor.workspaceId, runId);
    if (run?.origin !== "own" || run.thread_id === null) throw new AppError("run-not-found");
    await threads.get(visitor, run.thread_id);
    return run;
  }

  /** The reply as the log has it; of a run that ended long ago as it is stored. */
  async function standing(run: rows.RunRow): Promise<Standing> {
    const { events, seq } = await readRunLog(db, run.id);
    if (events.length > 0) return { reply: fold(events), seq };
    return { reply: { parts: await finish.messages.replyParts(run.thread_id!, run.reply_id!) }, seq };
  }

  async function answer(visitor: Visitor, runId: string, said: Said): Promise<void> {
    // Each round but the last is one in which another answer, or the end, was faster.
    for (;;) {
      const run = await find(visitor, runId);
      const now = await standing(run);
      const part = now.reply.parts.findIndex(
        (one) => one.type === "tool-call" && one.toolCallId === said.toolCallId,
      );
      const call = now.reply.parts[part] as ToolCallPart | undefined;
      if (call === undefined) throw new AppError("call-not-found");
      if (said.isRepeated(call)) {
        if (said.always)
          await db.write(async (tx) => await allowedTools.allow(tx, visitor, run.thread_id!, call.toolName));
        return;
      }
      refuseUnlessWaiting(run, now.reply, call, said);
      const events = said.events(call, part, now.reply, clock.now());
      const allowed = said.always ? call.toolName : undefined;
      if (await take(visitor, run, now, events, allowed)) return;
    }
  }

  /** Stores an answer, unless something was faster. After the last one the run goes on, carried by this process. */
  async function take(
    visitor: Visitor,
    run: rows.RunRow,
    { reply, seq }: Standing,
    events: RunEvent[],
    alwaysAllowed: string | undefined,
  ): Promise<boolean> {
    const nowMs = clock.now();
    const answered = events.reduce(foldOne, reply);
    const goesOn = waitingCalls(answered).length === 0;
    const all = goesOn ? [...events, { type: "run-resume", at: nowMs } as const] : events;
    const next = all.reduce(foldOne, reply);
    const taken = await db.write(async (tx) => {
      // The thread first, as everywhere.
      if (alwaysAllowed !== undefined) await threads.lock(tx, visitor, run.thread_id!);
      const now = await rows.lockRun(tx, run.id);
      const isWaiting = now?.state === "requires-action" && now.stop_requested_at === null;
      if (!isWaiting || (await lastSeq(tx.q, runTopic(run.id))) !== seq) return undefined;
      const lease = { lease_owner: leaseOwner, lease_expires_at: nowMs + limits.runLeaseMs };
      const row: rows.RunRow = goesOn ? { ...now, state: "running", ...lease } : now;
      if (alwaysAllowed !== undefined) await allowedTools.allow(tx, visitor, run.thread_id!, alwaysAllowed);
      if (goesOn) await caps.check(tx, visitor);
      if (goesOn) await rows.changeRun(tx, run.id, { state: "running", ...lease });
      await append(tx, [{ topic: runTopic(run.id), bodies: all.map((event) => JSON.stringify(event)) }]);
      await showRun(tx, finish, { run: row, reply: next, state: row.state, nowMs });
      return row;
    });
    if (taken === undefined) return false;
    const allowed = (reply.waitsFor ?? []).filter((part) => isAllowed(answered.parts[part] as ToolCallPart));
    if (goesOn) runner.goOn(taken, { reply: next, allowed });
    return true;
  }

  function refuseUnlessWaiting(run: rows.RunRow, reply: Reply, call: ToolCallPart, said: Said): void {
    const waiting = waitingCalls(reply).find((one) => one.call === call);
    if (waiting?.wants === said.wants && run.state === "requires-action" && run.stop_requested_at === null)
      return;
    const hasResult = call.result !== undefined && tools.get(call.toolName)?.run === undefined;
    const isAnswered = said.wants === "approval" ? call.approval?.approved !== undefined : hasResult;
    if (isAnswered) throw new AppError("call-answered");
    if (run.ended_at !== null || run.stop_requested_at !== null) throw new AppError("run-ended");
    throw new AppError("call-not-waiting");
  }

  return {
    async decide(visitor, runId, { tool_call_id: toolCallId, approved, reason, always = false }) {
      if (always) checkAlways(visitor, approved);
      await answer(visitor, runId, {
        toolCallId,
        wants: "approval",
        always,
        isRepeated: ({ approval }) => approval?.approved === approved && approval.reason === reason,
        events({ toolName }, part, reply, at) {
          const why = reason === undefined ? {} : { reason };
          const decide = (one: number): RunEvent => ({
            type: "tool-call-decision",
            part: one,
            approved,
            ...why,
            at,
          });
          const decision = decide(part);
          if (always) return [decision, ...othersOf(reply, toolName, part).map(decide)];
          if (approved) return [decision];
          return [
            decision,
            { type: "tool-call-result", part, result: { error: deniedWords(reason) }, is_error: true, at },
          ];
        },
      });
    },

    async giveResult(visitor, runId, { tool_call_id: toolCallId, result }) {
      if (JSON.stringify(result).length > limits.toolResultCharacters) throw new AppError("too-large");
      await answer(visitor, runId, {
        toolCallId,
        wants: "result",
        always: false,
        isRepeated: (call) =>
          call.approval === undefined && call.result !== undefined && isSame(call.result, result),
        events(call, part, _, at) {
          const tool = tools.get(call.toolName);
          const mistake =
            tool !== undefined && tool.run === undefined
              ? tool.resultMistake(result, call.args ?? {})
              : undefined;
          if (mistake !== undefined) throw badRequest("body.result", mistake);
          return [{ type: "tool-call-result", part, result, at }];
        },
      });
    },
  };
}

/** Where several people share a workspace, none of them may speak for the others. */
function checkAlways({ kind }: Visitor, approved: boolean): void {
  if (!approved) throw badRequest("body.always", "only goes with approved: true");
  if (kind === "key" || kind === "external" || kind === "provider")
    throw badRequest("body.always", "is only for a workspace of one person's own: allow each call");
}

/** The other calls of this tool that wait to be allowed. */
function othersOf(reply: Reply, toolName: string, part: number): number[] {
  return waitingCalls(reply)
    .filter((one) => one.wants === "approval" && one.call.toolName === toolName && one.part !== part)
    .map((one) => one.part);
}

function isAllowed(call: ToolCallPart): boolean {
  return call.approval?.approved === true && call.result === undefined;
}

function isSame(a: Json, b: Json): boolean {
  return requestHash(a) === requestHash(b);
}
