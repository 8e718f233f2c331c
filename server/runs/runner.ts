import { foldOne, emptyReply, type Reply } from "#contract/fold.ts";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEndState, RunEvent } from "#contract/run-events.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Clock } from "../clock.ts";
import { AppError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { Messages } from "../messages/messages.ts";
import { ModelError, type Model } from "../models/model.ts";
import type { Models } from "../models/models.ts";
import type { Tool } from "../tools/tool.ts";
import { toModelMessages } from "../parts/to-model.ts";
import { answer, type AnswerEnd } from "./answer.ts";
import { finishRun, type Finished } from "./finish.ts";
import { instructions } from "./instructions.ts";
import type { Leases } from "./leases.ts";
import * as rows from "./rows.ts";
import { sameModel } from "./same-model.ts";
import type { TitleMaker } from "./title.ts";
import { stopTopic } from "./topics.ts";
import type { Writer } from "./writer.ts";

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
  /** Resolves when this process has nothing more to do with the run: at once for one that it does not carry. */
  ended(runId: string): Promise<void>;
  /** Ends every run of this process as interrupted, keeping what was said, and waits for that. */
  close(): Promise<void>;
};

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
  messages: Messages;
  tools: Tool[];
  writer: Writer;
  models: Models;
  titles: TitleMaker;
  finish: Finished;
  leases: Leases;
}): Runner {
  const { db, clock, logger, messages, writer } = options;
  const running = new Map<string, { end: AbortController; done: Promise<void> }>();
  let closing = false;

  async function carryOut(
    run: rows.RunRow,
    modelOf: () => Promise<Model>,
    before: Part[],
    end: AbortController,
  ): Promise<void> {
    const release = options.leases.hold(run.id);
    const log = writer.open(run.id, () => end.abort(new EndRequest("interrupted")));
    const unlisten = db.bell.listen(stopTopic(run.id), () => void stopIfAsked(run, end));
    let reply: Reply = emptyReply;
    let firstTokenAt: number | null = null;
    let kept = false;
    let next: rows.RunRow | undefined;
    const say = async (event: RunEvent): Promise<void> => {
      reply = foldOne(reply, event);
      if (event.type === "text-delta" || event.type === "reasoning-delta") firstTokenAt ??= clock.now();
      await log.write(event);
    };
    try {
      await say({ type: "run-start", reply_id: run.reply_id!, model: run.model!, content: before });
      // Someone may have asked before anyone listened.
      await stopIfAsked(run, end);
      const outcome = await settle(run, modelOf, before, end.signal, say);
      reply = foldOne(reply, outcome);
      kept = await log.end(
        outcome,
        async (tx) => {
          next = await finishRun(tx, options.finish, { run, reply, firstTokenAt, nowMs: clock.now() });
        },
        run.thread_id,
      );
    } finally {
      unlisten();
      release();
    }
    if (kept && next !== undefined) beginNext(next);
    if (kept && reply.end?.state === "completed")
      await options.titles.titleThread(
        (await rows.readRun(db, run.id)) ?? run,
        await modelOf(),
        reply,
        end.signal,
      );
  }

  /** The run's last event, whatever happened before it. */
  async function settle(
    run: rows.RunRow,
    modelOf: () => Promise<Model>,
    before: Part[],
    signal: AbortSignal,
    say: (event: RunEvent) => Promise<void>,
  ): Promise<RunEvent> {
    try {
      const end = await ask(run, await modelOf(), before, signal, say);
      return { type: "run-end", state: "completed", finish_reason: end.finishReason, usage: end.usage };
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
    before: Part[],
    signal: AbortSignal,
    say: (event: RunEvent) => Promise<void>,
  ): Promise<AnswerEnd> {
    const history = await messages.history(run.thread_id!, run.message_id!);
    const question = {
      model,
      system: instructions(clock.now()),
      messages: toModelMessages(
        history.map((row) => ({
          role: row.role,
          format: row.format,
          content: JSON.parse(row.content) as unknown,
        })),
      ),
      tools: options.tools,
      callerTools: [],
      context: { workspaceId: run.workspace_id, threadId: run.thread_id! },
      before,
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

  function start(run: rows.RunRow, modelOf: () => Promise<Model>, before: Part[]): void {
    const end = new AbortController();
    if (closing) end.abort(new EndRequest("interrupted"));
    const done = carryOut(run, modelOf, before, end)
      .catch((error: unknown) => logger.error({ runId: run.id, err: error }, "a run was lost"))
      .finally(() => running.delete(run.id));
    running.set(run.id, { end, done });
  }

  function beginNext(run: rows.RunRow): void {
    if (!closing) start(run, async () => await sameModel(options.models, run), []);
  }

  return {
    begin: (run, model, before = []) => start(run, () => Promise.resolve(model), before),
    beginNext,
    ended: async (runId) => await running.get(runId)?.done,
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

function codeOf(error: unknown): ErrorCode {
  if (error instanceof ModelError || error instanceof AppError) return error.code;
  return "internal";
}
