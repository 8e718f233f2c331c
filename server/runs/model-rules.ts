import { defaultAssistantId } from "#contract/ids.ts";
import type { Assistants, ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { Budgets, Estimate } from "#server/people/budgets/budgets.ts";
import type { Access } from "#server/people/rights/access.ts";
import type { PersonInWorkspace, Rights } from "#server/people/rights/rights.ts";
import { AppError } from "#server/lib/errors.ts";
import { onlyLocal, type LocalOnly } from "#server/models/local-only.ts";
import type { Model } from "#server/models/model.ts";
import { estimateAnswer } from "./requests/estimate-usage.ts";
import type { Threads } from "#server/threads/threads.ts";

/** Who uses a model, and where. */
export type ModelUse = PersonInWorkspace & {
  appId: string;
  threadId: string | null;
  assistantId: string | null;
};

/** What holds for one use. It is read again for each later step, because it can change. */
export type UseRules = { access: Access; assistantId: string | null; mustBeLocal: boolean };

type Known = {
  access?: Access;
  /** The assistant of the use, or what replaces it. */
  assistant?: Pick<ResolvedAssistant, "parameters">;
  isThreadLocalOnly?: boolean;
};

/** For a request that has only what its client sent. */
export const noAssistant: Pick<ResolvedAssistant, "parameters"> = { parameters: {} };

export type ModelRules = ReturnType<typeof createModelRules>;

/**
 * Which models may be used: those that the person's rights allow, with an assistant that they allow, and only those of the
 * operator's own network where the thread, the assistant or the owner (`isServerLocalOnly`) requires it. No other model
 * replaces one that is refused. A person whose budget is used up starts no run.
 */
export function createModelRules(options: {
  threads: Pick<Threads, "isLocalOnly">;
  assistants: Pick<Assistants, "resolve">;
  isServerLocalOnly: LocalOnly;
  rights: Pick<Rights, "ofPerson">;
  budgets: Pick<Budgets, "check" | "reserveIn">;
  /** The tokens of the thread's latest answer with what it was written from. */
  contextTokens: (threadId: string) => Promise<number>;
}) {
  const { threads, assistants, isServerLocalOnly, rights, budgets } = options;

  async function mustBeLocal(
    { appId, threadId, assistantId }: ModelUse,
    { assistant, isThreadLocalOnly }: Known,
  ): Promise<boolean> {
    if (await isServerLocalOnly()) return true;
    if (isThreadLocalOnly ?? (threadId !== null && (await threads.isLocalOnly(threadId)))) return true;
    const { parameters } = assistant ?? (await assistants.resolve(appId, assistantId ?? defaultAssistantId));
    return parameters.local_only === true;
  }

  /** What holds for this use now. The caller can pass what it has just read. */
  async function of(use: ModelUse, known: Known = {}): Promise<UseRules> {
    const access = known.access ?? (await rights.ofPerson(use));
    return { access, assistantId: use.assistantId, mustBeLocal: await mustBeLocal(use, known) };
  }

  return {
    of,
    /** Whether nothing may leave the operator's network now. */
    mustBeLocal: async (use: ModelUse, assistant: Pick<ResolvedAssistant, "parameters">): Promise<boolean> =>
      await mustBeLocal(use, { assistant }),
    /**
     * The model, whose requests fail if they would leave the network and must not. Throws `assistant-not-allowed` and
     * `model-not-allowed`, because rights can have changed since the answer was asked for; not for an answer that has begun.
     */
    async limit(
      model: Model,
      use: ModelUse,
      { hasBegun, ...known }: Known & { hasBegun: boolean },
    ): Promise<{ model: Model; access: Access; mustBeLocal: boolean }> {
      const rules = await of(use, known);
      if (!hasBegun) requireRights(model, rules);
      const { access, mustBeLocal } = rules;
      return { model: limitToLocal(model, rules), access, mustBeLocal };
    },
    /** Whether the person's rights allow the model and the assistant of the use. */
    mayUse: async (model: Model, use: ModelUse): Promise<boolean> =>
      mayUse(model, { access: await rights.ofPerson(use), assistantId: use.assistantId }),
    /**
     * Before anything of a run is stored: throws `assistant-not-allowed`, `model-not-allowed`, `model-not-local` for a model
     * that is known to be outside the operator's network, and `budget-used` if something is asked. Returns what to reserve
     * for an answer of the model; `undefined` if no budget applies to the person. `inputTokens`: what is asked besides what
     * the thread has.
     */
    async admit(
      model: Model,
      use: ModelUse,
      { inputTokens, ...known }: Known & { inputTokens?: (() => number) | undefined } = {},
    ): Promise<Estimate | undefined> {
      const rules = await of(use, known);
      requireRights(model, rules);
      if (!(await isLocalEnough(model, rules))) throw new AppError("model-not-local");
      if (inputTokens === undefined || !(await budgets.check(use))) return undefined;
      const context = use.threadId === null ? 0 : await options.contextTokens(use.threadId);
      return estimateAnswer(context + inputTokens(), (await model.facts?.().catch(() => undefined))?.prices);
    },
    /** Whether the person has something left, for small tasks. */
    hasBudgetLeft: async (use: ModelUse): Promise<boolean> =>
      await budgets.check(use).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.code === "budget-used") return false;
          throw error;
        },
      ),
    reserveIn: budgets.reserveIn,
    /** What the person may use. */
    accessOf: async (person: PersonInWorkspace): Promise<Access> => await rights.ofPerson(person),
  };
}

/** Whether the person's rights allow the model and the assistant. */
export function mayUse(model: Model, { access, assistantId }: Omit<UseRules, "mustBeLocal">): boolean {
  return access.model(model.info.id) && (assistantId === null || access.assistant(assistantId));
}

/** Whether the model may be used here, as far as it is known before a request is sent. */
export async function allows(model: Model, rules: UseRules): Promise<boolean> {
  return mayUse(model, rules) && (await isLocalEnough(model, rules));
}

/** The model, whose requests fail if they would leave the network and must not. */
export function limitToLocal(model: Model, rules: UseRules): Model {
  return rules.mustBeLocal ? onlyLocal(model) : model;
}

function requireRights(model: Model, { access, assistantId }: UseRules): void {
  if (assistantId !== null && !access.assistant(assistantId)) throw new AppError("assistant-not-allowed");
  if (!access.model(model.info.id)) throw new AppError("model-not-allowed");
}

async function isLocalEnough(model: Model, { mustBeLocal }: UseRules): Promise<boolean> {
  return !mustBeLocal || (await model.isLocal?.()) !== false;
}
