import type { Context, ContextKind } from "#contract/endpoints/summaries.ts";
import { contextKinds } from "#contract/endpoints/summaries.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Visitor } from "#server/lib/route.ts";
import { noLimits } from "#server/extraction/request-limits.ts";
import type { SummarizedBranch } from "#server/messages/history.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model, ModelFacts } from "#server/models/model.ts";
import { estimateTokens } from "#server/models/tokens/estimate-tokens.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { ChooseAssistantAndModel } from "../prepare/choose.ts";
import { declarationOf } from "../loop/model-requests.ts";
import { prepareRun } from "../prepare/prepare-run.ts";
import type { PreparedRun, PrepareModules } from "../prepare/prepared-run.ts";
import type { RequestRecorder } from "../requests/recorder.ts";
import * as rows from "../rows.ts";
import { outputLimitOf, type Compactor } from "./compactor.ts";
import { measureMessages, measureTools } from "./measure.ts";
import { tokenBudget } from "./token-budget.ts";

type ContextQuery = {
  head?: string | undefined;
  assistant_id?: string | undefined;
  model?: string | undefined;
};

/**
 * What the next request of a branch takes of the model's context. Throws `thread-not-found`, `message-not-found`,
 * `model-not-found`, `assistant-not-found`.
 */
export type ReadContext = (
  visitor: Visitor,
  threadId: string,
  query: ContextQuery,
  signal: AbortSignal,
) => Promise<Context>;

export function createReadContext(
  options: PrepareModules & {
    assistants: Assistants;
    messages: Messages;
    threads: Threads;
    choose: ChooseAssistantAndModel;
    compactor: Compactor;
  },
): ReadContext {
  const { db, clock, assistants, messages, threads, choose, compactor } = options;

  /**
   * The provider's count for the branch, if its last message is an answer of the model that answers next, and the branch
   * had the same summary then.
   */
  async function countedTokens({ messages: list, summary }: SummarizedBranch, model: Model) {
    const last = list.at(-1);
    if (last?.run_id == null) return undefined;
    const run = await rows.readRun(db, last.run_id);
    // In a blind comparison the model is hidden, so its count is not used.
    if (run === undefined || rows.visibleModel(run) !== model.info.id) return undefined;
    return (summary?.updated_at ?? 0) < run.created_at ? (run.context_tokens ?? undefined) : undefined;
  }

  return async (visitor, threadId, query, signal) => {
    await threads.get(visitor, threadId);
    const headId = await messages.findHead(visitor, threadId, query.head);
    const { assistantId, model } = await choose(visitor, threadId, { ...query, isPreview: true });
    const assistant = await assistants.resolve(visitor.appId, assistantId);
    const branch = await messages.summarized(threadId, headId);
    const { appId, workspaceId, userId } = visitor;
    const prepared = await prepareRun(
      {
        use: { appId, workspaceId, userId, threadId, assistantId },
        model,
        assistant,
        conversation: { from: "thread", branch, steps: new Map() },
        ownTools: "all",
        effort: null,
        timeZone: "UTC",
        nowMs: clock.now(),
        hasBegun: false,
        hasFallback: false,
        recorder: asksNoModel,
        signal,
      },
      options,
    );
    const facts = await model.facts?.();
    const estimate = await measureContext(prepared, facts);
    const counted = await countedTokens(branch, model);
    const tokens = counted === undefined ? estimate : scaled(estimate, counted / sumOf(estimate));
    return {
      model: model.info.id,
      budget: tokenBudget(facts, outputLimitOf(assistant.parameters))?.tokens ?? null,
      tokens: sumOf(tokens),
      parts: contextKinds.map((kind) => ({ kind, tokens: tokens[kind] })).filter((part) => part.tokens > 0),
      is_estimate: counted === undefined,
      can_compact: facts !== undefined && compactor.canCompact(branch.messages),
    };
  };
}

const asksNoModel: RequestRecorder = {
  observer() {
    throw new Error("a preview asks no model");
  },
};

/** The estimated tokens of everything that the next request has. */
async function measureContext(
  prepared: PreparedRun,
  facts: ModelFacts = { reads: [] },
): Promise<ContextTokens> {
  const read = await prepared.readFiles!(prepared.messages, { facts, requestLimits: noLimits });
  return {
    instructions: estimateTokens(prepared.system),
    tools: measureTools(prepared.tools.map(declarationOf)),
    summary: estimateTokens(prepared.summary?.text ?? ""),
    ...measureMessages(read.messages),
  };
}

type ContextTokens = Record<ContextKind, number>;

function sumOf(tokens: ContextTokens): number {
  return Object.values(tokens).reduce((sum, count) => sum + count, 0);
}

function scaled(tokens: ContextTokens, factor: number): ContextTokens {
  const entries = Object.entries(tokens).map(([kind, count]) => [kind, Math.round(count * factor)] as const);
  return Object.fromEntries(entries) as Record<ContextKind, number>;
}
