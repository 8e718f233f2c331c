import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import { describeFailure } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import { builtinInfo } from "#server/models/providers/builtin.ts";
import type { Threads } from "#server/threads/threads.ts";
import { createTaskRecorder } from "../requests/recorder.ts";
import { modelUseOf, readRun, type RunRow } from "../rows.ts";
import { askForText, type AskedText } from "../small-tasks/ask-for-text.ts";
import type { SmallTasks } from "../small-tasks/small-tasks.ts";
import * as rows from "./rows.ts";
import { readSuggestions, suggestionRequest } from "./suggestion-request.ts";

/** The question and the answer, and those before them. */
const messagesRead = 4;
/** Later, the person has read the answer and asked something else. */
const timeoutMs = 20_000;
const charactersMax = 4_000;
/** An hour. To open an older chat sends nothing. */
const newForMs = 3_600_000;

export type Suggestions = ReturnType<typeof createSuggestions>;

/** Follow-up questions after answers. */
export function createSuggestions(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  jobs: Pick<Jobs, "track">;
  threads: Pick<Threads, "get">;
  messages: Pick<Messages, "endOf">;
  models: Models;
  smallTasks: SmallTasks;
}) {
  const { db, clock, logger, jobs, threads, messages, models, smallTasks } = options;
  /** Several tabs ask for the same answer at the same time. By message id. */
  const inProgress = new Map<string, Promise<string[]>>();

  /** The run that wrote the answer, if it can have suggestions. */
  async function findRun(answer: MessageRow): Promise<RunRow | undefined> {
    if (answer.role !== "assistant" || answer.status !== "complete" || answer.run_id === null)
      return undefined;
    const run = await readRun(db, answer.run_id);
    if (run?.state !== "completed" || run.is_blind === 1 || run.model === builtinInfo.id) return undefined;
    return run;
  }

  async function write(
    run: RunRow,
    conversation: readonly MessageRow[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const answering = await models.get(run.model ?? undefined).catch(() => undefined);
    // Another model did not answer here, and may be outside the operator's network.
    if (answering === undefined) return [];
    const model = await smallTasks.model("suggestions", answering, modelUseOf(run));
    if (model === undefined) return [];
    const owner = { runId: run.id };
    const recorder = createTaskRecorder({ db, clock, logger, owner, purpose: "suggestions" });
    const texts = conversation.map((row) => ({ role: row.role, text: row.plain_text }));
    // Of a request that broke off, the questions that had arrived.
    let output: AskedText = { text: "", ended: "length" };
    const onText = (text: string) => void (output = { text, ended: "length" });
    try {
      const request = { timeoutMs, charactersMax, observer: recorder.observer(), signal, onText };
      output = await askForText(model, suggestionRequest(texts), request);
    } catch (error) {
      signal.throwIfAborted();
      // An answer without suggestions is complete, so a failed request is not repeated.
      logger.warn({ runId: run.id, err: describeFailure(error).err }, "could not suggest questions");
    } finally {
      await recorder.save();
    }
    return readSuggestions(output);
  }

  async function writeAndStore(
    run: RunRow,
    threadId: string,
    conversation: readonly MessageRow[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const { id: messageId } = conversation.at(-1)!;
    const nowMs = clock.now();
    const suggestions = await write(run, conversation, signal);
    // Text that was changed or deleted meanwhile must not remain in questions about it.
    const now = await messages.endOf(threadId, messageId, messagesRead);
    if (versionsOf(now) !== versionsOf(conversation)) return [];
    const row = {
      message_id: messageId,
      run_id: run.id,
      texts: JSON.stringify(suggestions),
      created_at: nowMs,
    };
    await db
      .write(async (tx) => await rows.putSuggestions(tx, row))
      // The answer may have been deleted meanwhile.
      .catch((error: unknown) => logger.warn({ runId: run.id, err: error }, "could not store suggestions"));
    return suggestions;
  }

  return {
    /**
     * Up to three questions that the person could ask after this answer. Asks a model once; if it fails, there are none.
     * Throws `thread-not-found`, `message-not-found`.
     */
    async get(visitor: Visitor, threadId: string, messageId: string): Promise<string[]> {
      await threads.get(visitor, threadId);
      const conversation = await messages.endOf(threadId, messageId, messagesRead);
      const answer = conversation.at(-1);
      if (answer === undefined) throw new AppError("message-not-found");
      if (!isOwnUser(visitor) || !(await smallTasks.isOn("suggestions"))) return [];
      const run = await findRun(answer);
      if (run === undefined) return [];
      const stored = await rows.findSuggestions(db, messageId);
      if (stored?.run_id === run.id) {
        const isCurrent = conversation.every((row) => row.updated_at <= stored.created_at);
        return isCurrent ? (JSON.parse(stored.texts) as string[]) : [];
      }
      if (clock.now() - (run.ended_at ?? 0) > newForMs) return [];
      const started = inProgress.get(messageId);
      if (started !== undefined) return await started;
      const work = jobs
        .track(async (signal) => await writeAndStore(run, threadId, conversation, signal))
        .finally(() => inProgress.delete(messageId));
      inProgress.set(messageId, work);
      return await work;
    },
    erase: rows.eraseSuggestions,
  };
}

function versionsOf(conversation: readonly MessageRow[]): string {
  return conversation.map(({ id, updated_at: updatedAt }) => `${id} ${updatedAt}`).join();
}
