import type { Summary } from "#contract/endpoints/summaries.ts";
import type { AssistantParameters } from "#contract/endpoints/assistants.ts";
import { limits } from "#contract/limits.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Extraction } from "#server/extraction/extraction.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { Payloads } from "#server/jobs/kinds.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { HistoryRow } from "#server/messages/tree-rows.ts";
import type { BranchVersion, Summaries, SummaryPlace } from "#server/messages/summaries/summaries.ts";
import type { Model, ModelFacts, ModelMessage } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";
import { filesOfThread } from "#server/files/file-reference-rows.ts";
import { findThreadRules } from "#server/threads/rule-rows.ts";
import { modelOrDefault } from "../prepare/choose.ts";
import { createTaskRecorder } from "../requests/recorder.ts";
import type { SmallTasks } from "../small-tasks/small-tasks.ts";
import { readRun, type RunRow } from "../rows.ts";
import { readBranch, turnsOf, type ReadMessage } from "./branch-context.ts";
import { tokensOf } from "./measure.ts";
import { tokenBudget } from "./token-budget.ts";
import { askForText, isAnswer, isWhole, withoutReasoning } from "../small-tasks/ask-for-text.ts";
import { summaryRequest } from "./summary-request.ts";

/** A branch is compacted when it takes this part of the budget of its model. */
const fullPart = 0.75;
/** The last turns that fit into this part of the budget are not summarized. */
const keptPart = 0.3;
/** The transcript of one request for a summary takes at most this part of the budget. */
const transcriptPart = 0.6;
/** The requests for one compaction. A longer branch, such as an imported one, continues after its next answer. */
const requestsMax = 20;
/** If the process dies, another one may summarize the branch after this time. */
const reservedMs = 3 * limits.runHeartbeatMs;

export type CompactorOptions = {
  smallTasks: SmallTasks;
  models: Models;
  jobs: Pick<Jobs, "add" | "track">;
  db: Database;
  assistants: Assistants;
  extraction: Extraction;
  messages: Messages;
  summaries: Summaries;
  clock: Clock;
  logger: Logger;
};

export type Compactor = ReturnType<typeof createCompactor>;

/** The end of a branch that is compacted, and the model that answers there. */
type BranchEnd = {
  appId: string;
  workspaceId: string;
  threadId: string;
  headId: string;
  assistantId: string | null;
  /** Whose request it is. */
  userId: string;
};

/** Replaces the oldest messages of long branches by summaries, in the background. */
export function createCompactor(options: CompactorOptions) {
  const { db, assistants, extraction, messages, models, jobs, smallTasks, summaries, clock, logger } =
    options;

  /** The model that writes summaries in place of `model`; `undefined` if none can. */
  async function findWriter(
    end: BranchEnd,
    model: Model,
  ): Promise<{ writer: Model; facts: ModelFacts } | undefined> {
    const writer = await smallTasks.model("summary", model, end);
    const facts = await writer?.facts?.();
    return writer && facts && { writer, facts };
  }

  /** Reads the branch and its versions. Reads the versions first, so that a change in between is noticed. */
  async function read({ workspaceId, threadId, headId }: BranchEnd, facts: ModelFacts, signal: AbortSignal) {
    const versions = await summaries.readVersions(threadId, headId);
    const branch = await messages.summarized(threadId, headId);
    const { isShared } = await findThreadRules(db, threadId);
    const scope = isShared ? { onlyFiles: new Set(await filesOfThread(db, threadId)) } : {};
    const request = { workspaceId, facts, signal, hidesOtherThreads: isShared, ...scope };
    const resolved = await readBranch(branch, extraction, request);
    return { summary: branch.summary?.text, turns: turnsOf(resolved), versions, request };
  }

  /**
   * Summarizes all but the last turns, which take at most `keptTokens`, in several requests if one cannot have them all.
   * Returns the last summary; `undefined` if there is nothing to summarize, or another process does it.
   */
  async function compact(
    end: BranchEnd,
    model: Model,
    kept: { tokens: number; turnsMax: number },
    signal: AbortSignal,
  ): Promise<Summary | undefined> {
    const found = await findWriter(end, model);
    if (found === undefined) return undefined;
    const { writer, facts } = found;
    const { summary, turns, versions, request } = await read(end, facts, signal);
    const covered = turns.slice(0, turns.length - countKept(turns, kept));
    const chunks = chunksOf(covered, tokenBudget(facts)!.tokens * transcriptPart);
    let last: Summary | undefined;
    for (const chunk of chunks.slice(0, requestsMax)) {
      if (chunk.every(isPinned)) continue;
      // Without what tools read in other threads: this one may be shared later, and its members see the summary.
      const told = await readBranch(
        { messages: chunk.filter((one) => !isPinned(one)).map(({ row }) => row) },
        extraction,
        {
          ...request,
          hidesOtherThreads: true,
        },
      );
      const place = { messageId: chunk.at(-1)!.row.id, count: chunk.length };
      const stored = await summarize(end, writer, {
        previous: last?.text ?? summary,
        told,
        versions,
        signal,
        ...place,
      });
      if (stored === undefined) return last;
      last = stored;
    }
    return last;
  }

  /** Writes and stores the summary of `told` and of the summary before. It covers `count` messages up to `messageId`. */
  async function summarize(
    end: BranchEnd,
    writer: Model,
    {
      previous,
      told,
      versions,
      messageId,
      count,
      signal,
    }: {
      previous: string | undefined;
      told: readonly ReadMessage[];
      versions: BranchVersion;
      messageId: string;
      count: number;
      signal: AbortSignal;
    },
  ): Promise<Summary | undefined> {
    const { workspaceId, threadId } = end;
    const place = { workspaceId, threadId, messageId };
    const endAt = versions.findIndex(({ id }) => id === messageId);
    const version = versions.slice(endAt, endAt + count);
    if (!(await summaries.reserve(place, version, reservedMs))) return undefined;
    const written = new AbortController();
    const renewing = keepReserved(place, written.signal);
    const recorder = createTaskRecorder({ ...options, owner: end, purpose: "summary" });
    try {
      const messagesTold = told.flatMap((message) => message.messages);
      const text = await writeSummary(writer, previous, messagesTold, signal, recorder.observer());
      return await summaries.store(place, version, { text, model: writer.info.id });
    } catch (error) {
      await summaries.release(place);
      throw error;
    } finally {
      written.abort();
      await renewing;
      await recorder.save();
    }
  }

  async function keepReserved(place: SummaryPlace, untilAborted: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(limits.runHeartbeatMs, untilAborted).catch(() => {});
      if (untilAborted.aborted) return;
      await summaries
        .renew(place, reservedMs)
        .catch((error: unknown) =>
          logger.warn({ err: error }, "could not renew the reservation of a summary"),
        );
    }
  }

  /**
   * The budget of the branch that the run ends, if the branch nears it, or exceeds it if a person removed its summary.
   * `tokensOf` is called if it is not known how long the branch is.
   */
  async function budgetIfFull(
    run: RunRow,
    model: Model,
    tokensOf: (end: BranchEnd) => Promise<number>,
  ): Promise<{ end: BranchEnd; budget: number } | undefined> {
    if (run.thread_id === null || run.reply_id === null || !(await smallTasks.isOn("summary")))
      return undefined;
    const budget = tokenBudget(await model.facts?.(), await parametersOf(run));
    if (budget === undefined) return undefined;
    const end = {
      appId: run.app_id,
      workspaceId: run.workspace_id,
      threadId: run.thread_id,
      headId: run.reply_id,
      assistantId: run.assistant_id,
      userId: run.user_id,
    };
    const tokens = run.context_tokens ?? (await tokensOf(end));
    const isFull =
      tokens >= budget.tokens ||
      (tokens >= budget.tokens * fullPart &&
        (await summaries.findRemoval(end.threadId, end.headId)) === undefined);
    return isFull ? { end, budget: budget.tokens } : undefined;
  }

  async function parametersOf(run: RunRow): Promise<{ maxOutputTokens?: number }> {
    const { parameters } = await assistants.resolve(run.app_id, run.assistant_id ?? defaultAssistantId);
    return outputLimitOf(parameters);
  }

  return {
    /** Lets the branch of a run that has just ended be compacted if it nears the budget of its model. */
    afterAnswer(run: RunRow, model: Model): void {
      const addIfFull = async () => {
        const full = await budgetIfFull(run, model, () => Promise.resolve(Infinity));
        if (full === undefined) return;
        await jobs.add("compaction", run.id, { runId: run.id }, { threadId: full.end.threadId });
      };
      void jobs.track(
        async () =>
          await addIfFull().catch((error: unknown) =>
            logger.warn({ threadId: run.thread_id, err: error }, "could not compact a thread"),
          ),
      );
    },
    /** Compacts the branch of a run if it nears the budget of its model. If that fails, the next answer tries again. */
    async compactThreadOf({ runId }: Payloads["compaction"], _: unknown, signal: AbortSignal): Promise<void> {
      const run = await readRun(db, runId);
      if (run === undefined) return;
      const model = await modelOrDefault(models, run);
      const estimate = async (end: BranchEnd) => {
        const { turns } = await read(end, (await model.facts?.()) ?? { reads: [] }, signal);
        return turns.reduce((sum, turn) => sum + turn.tokens, 0);
      };
      const full = await budgetIfFull(run, model, estimate);
      if (full === undefined) return;
      const kept = { tokens: full.budget * keptPart, turnsMax: Infinity };
      await compact(full.end, model, kept, signal);
    },
    /**
     * Compacts a branch at a person's request: all but its last two turns. Returns `undefined` if there is nothing to
     * summarize. Throws what the model throws.
     */
    async compactNow(end: BranchEnd, model: Model): Promise<Summary | undefined> {
      const kept = { tokens: Infinity, turnsMax: 2 };
      return await jobs.track(async (signal) => await compact(end, model, kept, signal));
    },
    /** Whether `compactNow` would find something to summarize in these messages. */
    canCompact: (branch: readonly HistoryRow[]): boolean =>
      turnsOf(branch.map((row) => ({ row, messages: [] }))).length > 2,
  };
}

export function outputLimitOf({ max_output_tokens: tokens }: AssistantParameters): {
  maxOutputTokens?: number;
} {
  return tokens === undefined ? {} : { maxOutputTokens: tokens };
}

/** Models read it in full (the branch says of which messages), so that no summary needs it. */
function isPinned({ row }: ReadMessage): boolean {
  return row.is_pinned === 1;
}

type Turns = ReturnType<typeof turnsOf>;

/** How many of the last turns fit, at least one. */
function countKept(
  turns: Turns,
  { tokens: tokensMax, turnsMax }: { tokens: number; turnsMax: number },
): number {
  let count = 0;
  let tokens = 0;
  for (const turn of turns.toReversed()) {
    tokens += turn.tokens;
    if (count > 0 && (tokens > tokensMax || count === turnsMax)) break;
    count++;
  }
  return count;
}

/** The messages of whole turns, in groups of at most `tokensMax`. A longer turn is a group of its own. */
function chunksOf(turns: Turns, tokensMax: number): ReadMessage[][] {
  const chunks: ReadMessage[][] = [];
  let tokens = Infinity;
  for (const { read } of turns) {
    const turnTokens = tokensOf(read.flatMap((message) => message.messages));
    tokens += turnTokens;
    if (tokens > tokensMax) {
      chunks.push([]);
      tokens = turnTokens;
    }
    chunks.at(-1)!.push(...read);
  }
  return chunks;
}

/** 3 minutes: models that reason first take long. */
const summaryTimeoutMs = 180_000;
const attemptsMax = 2;

/**
 * Asks the model for a summary, twice if the first one is no summary or has no end: it replaces the messages, so that half
 * of one would lose them. Throws if there is none, `ModelError` and the signal's reason.
 */
async function writeSummary(
  model: Model,
  previousSummary: string | undefined,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
  observer: RequestObserver,
): Promise<string> {
  const request = summaryRequest(previousSummary, messages);
  const charactersMax = limits.summaryCharacters;
  const options = { timeoutMs: summaryTimeoutMs, charactersMax, observer, signal };
  for (let attempt = 1; ; attempt++) {
    const asked = await askForText(model, request, options);
    const summary = withoutReasoning(asked.text);
    if (summary !== "" && isAnswer(asked) && isWhole(asked)) return summary;
    if (attempt === attemptsMax) throw new Error(`the model wrote no summary: it ended by ${asked.ended}`);
  }
}
