import { foldOne, type Reply } from "#contract/fold.ts";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Messages } from "#server/messages/messages.ts";
import { ModelError, type Model, type ModelFacts, type ModelMessage } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { AllowedTools } from "#server/threads/allowed-tools.ts";
import type { Tool } from "#server/tools/tool.ts";
import { toModelMessages } from "#server/parts/to-model.ts";
import type { Extraction } from "#server/extraction/extraction.ts";
import type { RequestLimits } from "#server/extraction/request-limits.ts";
import { answer, type AnswerEnd } from "./answer.ts";
import { asChosen } from "./run-settings.ts";
import { createEndUncarried, type EndUncarried } from "../lifecycle/end-orphaned.ts";
import { finishRun, parkRun, type Finished } from "../lifecycle/finish.ts";
import { instructions } from "./instructions.ts";
import type { Leases } from "../leases/leases.ts";
import { onceBack } from "../lifecycle/retry-while-away.ts";
import * as rows from "../rows.ts";
import { sameModel } from "./same-model.ts";
import type { TitleMaker } from "./title.ts";
import { settingsOf, toolsOf } from "./allowed-tools.ts";
import { stopTopic } from "../log/topics.ts";
import type { Writer } from "../log/writer.ts";

/** Carries runs out, each in its own promise, from the first event to the last. */
export type Runner = {
  /**
   * Begins a run that is stored already, under this process's lease; once this is closing, it ends as interrupted.
   * `before` is what its reply holds, where it is gone on with.
   */
  begin(run: rows.RunRow, model: Model, before?: Part[]): void;
  /**
   * Begins a run whose turn has come: it stands in the database since a moment ago, under this process's lease. Once
   * this is closing it is left to the next process, which finds that nothing was said and asks.
   */
  beginNext(run: rows.RunRow): void;
  /** Ends a run that neither this process carries nor another one. */
  endUncarried: EndUncarried;
  /** Goes on with a run that waited for a person, under the same conditions. */
  goOn(run: rows.RunRow, from: GoOn): void;
  /** Resolves when this process has nothing more to do with the run: at once for one that it does not carry. */
  ended(runId: string): Promise<void>;
  /** Ends every run of this process as interrupted, keeping what was said, and waits for that. */
  close(): Promise<void>;
};

/** Where a run goes on: what its log says so far, and the parts whose calls a person has just allowed. */
export type GoOn = { reply: Reply; allowed: number[] };

/** Why a run is ended from outside. */
class EndRequest extends Error {
  readonly state: RunEndState;
  constructor(state: RunEndState) {
    super(state);
    this.state = state;
  }
}

export function createRunner(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  assistants: Assistants;
  messages: Messages;
  tools: Tool[];
  allowedTools: AllowedTools;
  writer: Writer;
  models: Models;
  extraction: Extraction;
  titles: TitleMaker;
  finish: Finished;
  leases: Leases;
}): Runner {
  const { db, clock, logger, messages, writer } = options;
  const endUncarried = createEndUncarried({ db, clock, finish: options.finish, beginNext });
  const running = new Map<string, { end: AbortController; done: Promise<void> }>();
  let closing = false;

  async function carryOut(
    run: rows.RunRow,
    modelOf: () => Promise<Model>,
    from: Part[] | GoOn,
    end: AbortController,
  ): Promise<void> {
    const goOn: GoOn = Array.isArray(from) ? { reply: { parts: from }, allowed: [] } : from;
    const isNew = goOn !== from;
    const release = options.leases.hold(run.id);
    const log = writer.open(run.id, () => end.abort(new EndRequest("interrupted")), !isNew);
    const unlisten = db.pubSub.subscribe(stopTopic(run.id), () => void stopIfAsked(run, end));
    let reply: Reply = goOn.reply;
    let firstTokenAt = run.first_token_at;
    let kept = false;
    let next: rows.RunRow | undefined;
    const say = async (event: RunEvent): Promise<void> => {
      reply = foldOne(reply, event);
      if (event.type === "text-delta" || event.type === "reasoning-delta") firstTokenAt ??= clock.now();
      await log.write(event);
    };
    try {
      const content = [...goOn.reply.parts];
      if (isNew) await say({ type: "run-start", reply_id: run.reply_id!, model: run.model!, content });
      // Someone may have asked before anyone listened.
      await stopIfAsked(run, end);
      const outcome = await settle(run, modelOf, goOn, end.signal, say);
      const last = outcome.type === "run-end" ? { ...outcome, usage: reply.usage ?? {} } : outcome;
      reply = foldOne(reply, last);
      kept = await log.end(
        last,
        async (tx) => {
          const stored = { run, reply, firstTokenAt, nowMs: clock.now() };
          if (last.type === "run-wait") await parkRun(tx, options.finish, stored);
          else next = await finishRun(tx, options.finish, stored);
        },
        run.thread_id,
      );
    } finally {
      unlisten();
      release();
    }
    if (kept && next !== undefined) beginNext(next);
    if (kept && reply.waitsFor !== undefined) await endIfAskedMeanwhile(run);
    if (kept && reply.end?.state === "completed")
      await options.titles.titleThread(
        (await rows.readRun(db, run.id)) ?? run,
        await modelOf(),
        reply,
        end.signal,
      );
  }

  /** The last event that this process says of the run, whatever happened before it; its usage is still to be told. */
  async function settle(
    run: rows.RunRow,
    modelOf: () => Promise<Model>,
    goOn: GoOn,
    signal: AbortSignal,
    say: (event: RunEvent) => Promise<void>,
  ): Promise<LastEvent> {
    try {
      const end = await ask(run, await modelOf(), goOn, signal, say);
      if ("waits" in end) return { type: "run-wait", parts: end.waits };
      return { type: "run-end", state: "completed", finish_reason: end.finishReason, usage: {} };
    } catch (error) {
      const asked: unknown = signal.aborted ? signal.reason : undefined;
      if (asked instanceof EndRequest)
        return { type: "run-end", state: asked.state, finish_reason: "other", usage: {} };
      const code = codeOf(error);
      const facts = {
        runId: run.id,
        model: run.model,
        code,
        err: error instanceof ModelError ? (error.cause ?? error) : error,
      };
      if (code === "internal") logger.error(facts, "a run failed");
      else logger.warn(facts, "a run failed");
      return {
        type: "run-end",
        state: "failed",
        finish_reason: "error",
        usage: {},
        error: { code, message: errors[code].message },
      };
    }
  }

  async function ask(
    run: rows.RunRow,
    model: Model,
    goOn: GoOn,
    signal: AbortSignal,
    say: (event: RunEvent) => Promise<void>,
  ): Promise<AnswerEnd> {
    const history = await onceBack(async () => await messages.historyOf(run), { clock, signal });
    const { assistant, notes, instead } = await onceBack(
      async () => await asChosen(options.assistants, run, model),
      { clock, signal },
    );
    const timeZone = timeZoneOf(run.time_zone);
    for (const note of notes) await say({ type: "run-note", note });
    if (instead !== undefined) await db.write(async (tx) => await rows.changeRun(tx, run.id, instead));
    const question = {
      model,
      system: instructions(clock.now(), timeZone, assistant.instructions),
      settings: settingsOf(assistant.parameters),
      messages: toModelMessages(
        history.map((row) => ({
          role: row.role,
          format: row.format,
          content: JSON.parse(row.content) as unknown,
        })),
      ),
      tools: toolsOf(assistant, options.tools),
      readFiles: async (
        of: readonly ModelMessage[],
        asked: { facts: ModelFacts; requestLimits: RequestLimits },
      ) =>
        await onceBack(
          async () =>
            await options.extraction.resolveFiles(of, { workspaceId: run.workspace_id, ...asked, signal }),
          { clock, signal },
        ),
      callerTools: [],
      context: { workspaceId: run.workspace_id, threadId: run.thread_id!, timeZone },
      before: goOn.reply.parts,
      stepEnds: goOn.reply.stepEnds ?? [],
      allowedTools: async () =>
        await onceBack(async () => await options.allowedTools.list(run.thread_id!), { clock, signal }),
      allowed: goOn.allowed,
    };
    const events = answer(question, { clock, logger, signal });
    for (;;) {
      const step = await events.next();
      if (step.done === true) return step.value;
      await say(step.value);
    }
  }

  async function stopIfAsked(run: rows.RunRow, end: AbortController): Promise<void> {
    const now = await rows.readRun(db, run.id).catch(() => undefined);
    if (now?.stop_requested_at != null) end.abort(new EndRequest("cancelled"));
  }

  /** Asked to stop while it was going over to wait: nobody heard it, for nobody carries it any more. */
  async function endIfAskedMeanwhile(run: rows.RunRow): Promise<void> {
    const now = await rows.readRun(db, run.id);
    if (now?.state === "requires-action" && now.stop_requested_at !== null)
      await endUncarried(now, "cancelled");
  }

  function start(run: rows.RunRow, modelOf: () => Promise<Model>, from: Part[] | GoOn): void {
    const end = new AbortController();
    if (closing) end.abort(new EndRequest("interrupted"));
    const done = carryOut(run, modelOf, from, end)
      .catch((error: unknown) => logger.error({ runId: run.id, err: error }, "a run was lost"))
      .finally(() => {
        // It may have waited and be carried by us again already.
        if (running.get(run.id)?.end === end) running.delete(run.id);
      });
    running.set(run.id, { end, done });
  }

  const modelOf = (run: rows.RunRow) => async () => await sameModel(options.models, run);

  function beginNext(run: rows.RunRow): void {
    if (!closing) start(run, modelOf(run), []);
  }

  return {
    begin: (run, model, before = []) => start(run, () => Promise.resolve(model), before),
    beginNext,
    endUncarried,
    goOn: (run, from) => start(run, modelOf(run), from),
    async ended(runId) {
      // It may have waited and be carried by us again by then.
      for (let one = running.get(runId); one !== undefined; one = running.get(runId)) await one.done;
    },
    async close() {
      closing = true;
      const all = [...running.values()];
      for (const { end } of all) end.abort(new EndRequest("interrupted"));
      await Promise.race([
        Promise.allSettled(all.map(({ done }) => done)),
        clock.sleep(limits.runLeaseMs / 2),
      ]);
    },
  };
}

type LastEvent = Extract<RunEvent, { type: "run-end" | "run-wait" }>;

function codeOf(error: unknown): ErrorCode {
  if (error instanceof ModelError || error instanceof AppError) return error.code;
  return "internal";
}
