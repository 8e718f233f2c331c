import type { Context, ContextKind } from "#contract/endpoints/summaries.ts";
import { contextKinds } from "#contract/endpoints/summaries.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { PersonalInstructions } from "#server/assistants/personal-instructions/personal-instructions.ts";
import type { Extraction } from "#server/extraction/extraction.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { SummarizedBranch } from "#server/messages/history.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model } from "#server/models/model.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { Tool } from "#server/tools/tool.ts";
import { offeredTools } from "../loop/assistant-options.ts";
import type { ChooseAssistantAndModel } from "../loop/choose-assistant-and-model.ts";
import { declarationOf } from "../loop/model-requests.ts";
import { instructions } from "../loop/instructions.ts";
import type { ModelRules } from "../model-rules.ts";
import * as rows from "../rows.ts";
import { sharedScope } from "../shared-scope.ts";
import { measureContext, readBranch, sumOf, type ContextTokens } from "./branch-context.ts";
import { outputLimitOf, type Compactor } from "./compactor.ts";
import { measureTools } from "./measure.ts";
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

export function createReadContext(options: {
  db: Database;
  clock: Clock;
  assistants: Assistants;
  personalInstructions: Pick<PersonalInstructions, "find">;
  messages: Messages;
  threads: Threads;
  extraction: Extraction;
  tools: readonly Tool[];
  choose: ChooseAssistantAndModel;
  modelRules: Pick<ModelRules, "accessOf">;
  compactor: Compactor;
}): ReadContext {
  const { db, clock, assistants, messages, threads, extraction, choose, compactor } = options;

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
    const thread = await threads.get(visitor, threadId);
    const headId = await messages.findHead(visitor, threadId, query.head);
    const { assistantId, model } = await choose(visitor, threadId, { ...query, isPreview: true });
    const assistant = await assistants.resolve(visitor.appId, assistantId);
    const facts = await model.facts?.();
    const branch = await messages.summarized(threadId, headId);
    const { pinned, messages: kept } = branch;
    const isTemporary = thread.temporary_until !== null;
    const shared = await sharedScope(db, threadId);
    const read = await readBranch({ messages: [...pinned, ...kept] }, extraction, {
      workspaceId: visitor.workspaceId,
      facts: facts ?? { reads: [] },
      signal,
      hidesOtherThreads: shared !== undefined,
      ...shared,
    });
    const personal = isTemporary ? undefined : await options.personalInstructions.find(visitor);
    const access = await options.modelRules.accessOf(visitor);
    const hidesOtherThreads = isTemporary || shared !== undefined;
    const offered = offeredTools(assistant, options.tools, { access, facts, hidesOtherThreads });
    const estimate = measureContext({
      instructions: instructions(clock.now(), "UTC", assistant.instructions, personal),
      toolTokens: measureTools(offered.map(declarationOf)),
      summary: branch.summary?.text,
      branch: read,
    });
    const counted = await countedTokens(branch, model);
    const tokens = counted === undefined ? estimate : scaled(estimate, counted / sumOf(estimate));
    return {
      model: model.info.id,
      budget: tokenBudget(facts, outputLimitOf(assistant.parameters))?.tokens ?? null,
      tokens: sumOf(tokens),
      parts: contextKinds.map((kind) => ({ kind, tokens: tokens[kind] })).filter((part) => part.tokens > 0),
      is_estimate: counted === undefined,
      can_compact: facts !== undefined && compactor.canCompact(read.slice(pinned.length)),
    };
  };
}

function scaled(tokens: ContextTokens, factor: number): ContextTokens {
  const entries = Object.entries(tokens).map(([kind, count]) => [kind, Math.round(count * factor)] as const);
  return Object.fromEntries(entries) as Record<ContextKind, number>;
}
