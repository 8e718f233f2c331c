import type { BodyOf } from "#contract/api.ts";
import { fold, foldOne, waitingCalls, type Reply } from "#contract/fold.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { append, lastSeq } from "#storage/log/log.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { denialMessage } from "#server/parts/tool-call.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import { requestHash } from "#server/lib/request-hash.ts";
import type { AllowedTools } from "#server/threads/allowed-tools.ts";
import type { Threads } from "#server/threads/threads.ts";
import { parametersError } from "#server/tools/parameters.ts";
import type { ToolRules } from "#server/tools/rules/tool-rules.ts";
import type { Tools } from "#server/tools/tools.ts";
import { storeReply } from "./finish-run.ts";
import type { QueueModules } from "./send-queued.ts";
import { readRunLog } from "../log/run-log.ts";
import type { RunLimits } from "./run-limits.ts";
import { answerTokens } from "../requests/estimate-usage.ts";
import * as rows from "../rows.ts";
import type { Runner } from "../loop/runner.ts";
import { runTopic } from "../log/topics.ts";

/**
 * Answers to runs that wait for a person. No process executes these runs: every process accepts an answer, and the one that
 * gets the last missing answer resumes the run. Of two different answers to one call, the first one counts. A repeated
 * answer changes nothing.
 *
 * Both functions throw `run-not-found`, `thread-not-found` (also for a thread in the trash), `call-not-found`,
 * `call-answered`, `call-not-waiting`, `run-ended`, and `budget-used`, `budget-wait` and `too-many-runs` if the run cannot resume now.
 */
export type WaitingRuns = {
  /** Approves or denies a call. */
  decide(visitor: Visitor, runId: string, body: BodyOf<"runs.approve">): Promise<void>;
  /** Stores the result of a call that the server does not execute. Also throws `too-large`, and a bad request for its shape. */
  giveResult(visitor: Visitor, runId: string, body: BodyOf<"runs.giveResult">): Promise<void>;
};

/** A person's answer to one call. */
type CallAnswer = {
  toolCallId: string;
  wants: "approval" | "result";
  /** Where the tool needs no approval from now on, as it was shown. */
  remember?: BodyOf<"runs.approve">["remember"];
  /** Whether the call already has this answer. */
  isRepeated(call: ToolCallPart): boolean;
  /** The events of the answer, also for other calls that it decides. Throws if the answer does not fit the call. */
  events(call: ToolCallPart, part: number, logged: LoggedReply, nowMs: number): RunEvent[];
};

type AnsweredCall = { answer: CallAnswer; call: ToolCallPart };

/** The reply as of number `seq` of the run's log. */
type LoggedReply = { reply: Reply; seq: number; log: readonly RunEvent[] };

export function createWaitingRuns(options: {
  db: Database;
  clock: Clock;
  threads: Threads;
  allowedTools: AllowedTools;
  toolRules: Pick<ToolRules, "allow">;
  tools: Tools;
  runner: Runner;
  leaseOwner: string;
  modules: QueueModules;
  runLimits: RunLimits;
}): WaitingRuns {
  const { db, clock, threads, allowedTools, toolRules, tools, runner, leaseOwner, modules, runLimits } =
    options;

  async function find(visitor: Visitor, runId: string): Promise<rows.RunRow> {
    const run = await rows.findRun(db, visitor.workspaceId, runId);
    if (run?.origin !== "own" || run.thread_id === null) throw new AppError("run-not-found");
    await threads.get(visitor, run.thread_id);
    return run;
  }

  /** Reads the reply from the log, or from its message if the log is deleted. */
  async function readReply(run: rows.RunRow): Promise<LoggedReply> {
    const { events, seq } = await readRunLog(db, run.id);
    const reply =
      events.length > 0
        ? fold(events)
        : { parts: await modules.messages.replyParts(run.thread_id!, run.reply_id!) };
    return { reply, seq, log: events };
  }

  async function applyAnswer(visitor: Visitor, runId: string, answer: CallAnswer): Promise<void> {
    // Repeats if another answer or the end of the run was stored in the meantime.
    for (;;) {
      const run = await find(visitor, runId);
      // The call acts with the rights of the person who asked.
      if (answer.wants === "approval" && isOwnUser(visitor) && run.user_id !== visitor.userId)
        throw new AppError("call-not-yours");
      const logged = await readReply(run);
      const part = logged.reply.parts.findIndex(
        (candidate) => candidate.type === "tool-call" && candidate.toolCallId === answer.toolCallId,
      );
      const call = logged.reply.parts[part] as ToolCallPart | undefined;
      if (call === undefined) throw new AppError("call-not-found");
      if (answer.isRepeated(call)) {
        await db.write(async (tx) => await remember(tx, visitor, run, { answer, call }));
        return;
      }
      checkIsWaiting(run, logged.reply, call, answer);
      const events = answer.events(call, part, logged, clock.now());
      if (await storeAnswer(visitor, run, logged, events, { answer, call })) return;
    }
  }

  /** Reserves the rest of the answer of the asker's budget: another step like those before. */
  async function reserveRest(tx: Tx, run: rows.RunRow) {
    const usedTokens = (run.input_tokens ?? 0) + (run.output_tokens ?? 0);
    const usedMicros = run.cost_micros ?? 0;
    const estimate = { tokens: (run.input_tokens ?? 0) + answerTokens, costMicros: usedMicros };
    const asker = { userId: run.user_id, workspaceId: run.workspace_id, appId: run.app_id };
    const reserved = await modules.budgets.reserveIn(tx, asker, estimate);
    // What the run has used counts as used of it.
    return {
      reserved_tokens: reserved === undefined ? null : reserved.tokens + usedTokens,
      reserved_micros: reserved === undefined ? null : reserved.costMicros + usedMicros,
    };
  }

  /** Allows the tool from now on, exactly as it was shown, if the person said so. */
  async function remember(tx: Tx, visitor: Visitor, run: rows.RunRow, { answer, call }: AnsweredCall) {
    if (answer.remember === undefined) return;
    const { toolName: name, approval } = call;
    if (approval?.tool === undefined) throw new AppError("call-not-waiting");
    const { source, schemaHash } = approval.tool;
    if (answer.remember === "chat")
      await allowedTools.allow(tx, visitor, run.thread_id!, { source, name, schemaHash });
    else await toolRules.allow(tx, visitor, { source, tool: name, rule: "always", schemaHash });
  }

  /** Returns false if the run changed since `logged` was read. Resumes the run after the last missing answer. */
  async function storeAnswer(
    visitor: Visitor,
    run: rows.RunRow,
    { reply, seq }: LoggedReply,
    answerEvents: RunEvent[],
    answered: AnsweredCall,
  ): Promise<boolean> {
    const nowMs = clock.now();
    const afterAnswer = answerEvents.reduce(foldOne, reply);
    const resumes = waitingCalls(afterAnswer).length === 0;
    const events = resumes ? [...answerEvents, { type: "run-resume", at: nowMs } as const] : answerEvents;
    const next = events.reduce(foldOne, reply);
    const stored = await db.write(async (tx) => {
      // Lock the thread before the run, like every transaction: storing the reply changes the thread too.
      await threads.lock(tx, visitor, run.thread_id!);
      const now = await rows.lockRun(tx, run.id);
      const isWaiting = now?.state === "requires-action" && now.stop_requested_at === null;
      if (!isWaiting || (await lastSeq(tx.q, runTopic(run.id))) !== seq) return undefined;
      const reserved = resumes ? await reserveRest(tx, now) : undefined;
      const change = {
        state: "running",
        lease_owner: leaseOwner,
        lease_expires_at: nowMs + limits.runLeaseMs,
        ...reserved,
      } as const;
      const row: rows.RunRow = resumes ? { ...now, ...change } : now;
      await remember(tx, visitor, run, answered);
      if (resumes) {
        await runLimits.check(tx, visitor);
        await rows.changeRun(tx, run.id, change);
      }
      await append(tx, [{ topic: runTopic(run.id), bodies: events.map((event) => JSON.stringify(event)) }]);
      await storeReply(tx, modules, { run: row, reply: next, state: row.state, nowMs });
      return row;
    });
    if (stored === undefined) return false;
    const approved = (reply.pendingParts ?? []).filter((part) =>
      isApproved(afterAnswer.parts[part] as ToolCallPart),
    );
    if (resumes) runner.resume(stored, { reply: next, approved });
    return true;
  }

  function checkIsWaiting(run: rows.RunRow, reply: Reply, call: ToolCallPart, { wants }: CallAnswer): void {
    const waiting = waitingCalls(reply).find((candidate) => candidate.call === call);
    if (waiting?.needs === wants && run.state === "requires-action" && run.stop_requested_at === null) return;
    const hasResult = call.result !== undefined && tools.get(call.toolName)?.run === undefined;
    const isAnswered = wants === "approval" ? call.approval?.approved !== undefined : hasResult;
    if (isAnswered) throw new AppError("call-answered");
    if (run.ended_at !== null || run.stop_requested_at !== null) throw new AppError("run-ended");
    throw new AppError("call-not-waiting");
  }

  return {
    async decide(visitor, runId, body) {
      const { tool_call_id: toolCallId, approved, reason, remember: where, args } = body;
      if (where !== undefined) checkRemember(visitor, where, approved);
      if (args !== undefined && !approved) throw badRequest("body.args", "only goes with approved: true");
      await applyAnswer(visitor, runId, {
        toolCallId,
        wants: "approval",
        ...(where && { remember: where }),
        isRepeated: ({ approval }) =>
          approval?.approved === approved &&
          approval.reason === reason &&
          isSame(approval.args ?? null, args ?? null),
        events(call, part, { reply, log }, at) {
          if (args !== undefined) checkArgs(log, part, args);
          const why = reason === undefined ? {} : { reason };
          const decisionOn = (decidedPart: number): RunEvent => ({
            type: "tool-call-decision",
            part: decidedPart,
            approved,
            ...why,
            at,
          });
          const decision: RunEvent = { ...decisionOn(part), ...(args && { args }) };
          if (where !== undefined) return [decision, ...otherCallsOf(reply, call, part).map(decisionOn)];
          if (approved) return [decision];
          return [
            decision,
            { type: "tool-call-result", part, result: { error: denialMessage(reason) }, is_error: true, at },
          ];
        },
      });
    },

    async giveResult(visitor, runId, { tool_call_id: toolCallId, result }) {
      if (JSON.stringify(result).length > limits.toolResultCharacters) throw new AppError("too-large");
      await applyAnswer(visitor, runId, {
        toolCallId,
        wants: "result",
        isRepeated: (call) =>
          call.approval === undefined && call.result !== undefined && isSame(call.result, result),
        events(call, part, _, at) {
          const tool = tools.get(call.toolName);
          const mistake =
            tool !== undefined && tool.run === undefined
              ? tool.resultError(result, call.args ?? {})
              : undefined;
          if (mistake !== undefined) throw badRequest("body.result", mistake);
          return [{ type: "tool-call-result", part, result, at }];
        },
      });
    },
  };
}

/** In a workspace of several people, one person may not allow a tool for the others. */
function checkRemember(visitor: Visitor, where: "chat" | "always", approved: boolean): void {
  if (!approved) throw badRequest("body.remember", "only goes with approved: true");
  const { kind, memberAccess } = visitor;
  if (where === "always" ? !isOwnUser(visitor) : kind === "key" || kind === "external" || kind === "provider")
    throw badRequest("body.remember", "is only for a workspace of one person's own: allow each call");
  if (where === "chat" && memberAccess !== undefined)
    throw badRequest("body.remember", "is not for chats of others: allow each call");
}

/** The arguments that a person changed must match the schema with which they were asked. */
function checkArgs(log: readonly RunEvent[], part: number, args: JsonObject): void {
  const asked = log.findLast((event) => event.type === "tool-call-ask" && event.part === part);
  const parameters = asked?.type === "tool-call-ask" ? asked.parameters : undefined;
  const mistake = parameters && parametersError(parameters, args);
  if (mistake !== undefined) throw badRequest("body.args", mistake);
}

/** The parts of the other calls of the same tool that wait for approval, and not because of what was read since. */
function otherCallsOf(reply: Reply, { toolName, approval }: ToolCallPart, part: number): number[] {
  return waitingCalls(reply)
    .filter(
      ({ needs, call, part: other }) =>
        needs === "approval" &&
        other !== part &&
        call.toolName === toolName &&
        call.approval?.tool?.schemaHash === approval?.tool?.schemaHash &&
        call.approval?.tool?.strangers === undefined,
    )
    .map(({ part: other }) => other);
}

function isApproved(call: ToolCallPart): boolean {
  return call.approval?.approved === true && call.result === undefined;
}

function isSame(a: Json, b: Json): boolean {
  return requestHash(a) === requestHash(b);
}
