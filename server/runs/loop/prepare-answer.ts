import { listReplySteps, putReplyStep } from "../reply-step-rows.ts";
import { stepMessages } from "../reply-steps.ts";
import * as rows from "../rows.ts";
import type { Reply } from "#contract/fold.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import type { Database } from "#storage/database/database.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { PersonalInstructions } from "#server/assistants/personal-instructions/personal-instructions.ts";
import type { Extraction } from "#server/extraction/extraction.ts";
import type { Clock } from "#server/lib/clock.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { SummarizedBranch } from "#server/messages/history.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Model } from "#server/models/model.ts";
import { isOtherThreadTool, withoutOtherThreads } from "#server/parts/other-threads.ts";
import { modelMessages, toModelMessages } from "#server/parts/to-model.ts";
import type { AllowedTools } from "#server/threads/allowed-tools.ts";
import type { Tool } from "#server/tools/tool.ts";
import { modelSettingsOf, offeredTools, toolsOf } from "./assistant-options.ts";
import type { AnswerInput, StoredStep } from "./answer-state.ts";
import { findThreadRules } from "#server/threads/rule-rows.ts";
import { scopeOfShared, unlessShared } from "../shared-scope.ts";
import { limit, limitToLocal, modelUseOf, type ModelRules } from "../model-rules.ts";
import { instructions } from "./instructions.ts";
import { resolveRunSettings } from "./run-settings.ts";
import { StorageBusyError } from "#storage/lib/errors.ts";

/**
 * The reply of a run so far, the parts whose tool calls a person just approved, and whether its last text was broken off
 * because a process handed the run over.
 */
export type ResumePoint = { reply: Reply; approved: number[]; isHandedOver?: boolean };

export type PrepareDependencies = {
  db: Database;
  clock: Clock;
  assistants: Assistants;
  messages: Messages;
  tools: Tool[];
  allowedTools: AllowedTools;
  extraction: Extraction;
  modelRules: ModelRules;
  personalInstructions: Pick<PersonalInstructions, "find">;
};

/**
 * Collects what the answer of a run is made from: its conversation, its assistant and its tools. If the assistant or the
 * model no longer exists, the run's row gets the replacement and `emit` a note for the person. Throws what the person may
 * not use: `assistant-not-allowed`, `model-not-allowed`.
 */
export async function prepareAnswer(
  run: rows.RunRow,
  chosenModel: Model,
  { reply, approved, isHandedOver = false }: ResumePoint,
  emit: (event: RunEvent) => Promise<void>,
  signal: AbortSignal,
  dependencies: PrepareDependencies,
): Promise<AnswerInput> {
  const { db, clock, assistants, messages, tools, allowedTools, extraction, modelRules } = dependencies;
  const retried: Retried = async (work) => await retryUntilAvailable(work, { clock, signal });
  const { workspace_id: workspaceId } = run;
  const threadId = run.thread_id!;
  const timeZone = timeZoneOf(run.time_zone);
  const isStart = reply.parts.length === 0;
  const branch = await retried(async () => await messages.historyOf(run));
  const settings = await retried(async () => await resolveRunSettings(assistants, run, chosenModel));
  const { assistant } = settings;
  const { personal, shared, isThreadLocalOnly, hidesOtherThreads } = await readThreadRules(
    run,
    dependencies,
    retried,
  );
  const rules = await retried(
    async () => await modelRules.of(modelUseOf(run), { assistant, isThreadLocalOnly }),
  );
  const { access } = rules;
  const model = isStart ? limit(chosenModel, rules) : limitToLocal(chosenModel, rules);
  const answers = [...branch.pinned, ...branch.messages].filter(({ role }) => role === "assistant");
  const answerIds = [...answers.map(({ id }) => id), ...(isStart ? [] : [run.reply_id!])];
  const steps = await retried(async () => await listReplySteps(db, answerIds));
  for (const note of settings.notes) await emit({ type: "run-note", note });
  const { replacement } = settings;
  if (replacement !== undefined)
    await retried(async () => await db.write(async (tx) => await rows.changeRun(tx, run.id, replacement)));
  const facts = await model.facts?.();
  const forbidden = toolsOf(assistant, tools, facts).filter(({ name }) => !access.tool(name));
  // An assistant with all tools does not rely on any of them.
  if (forbidden.length > 0 && assistant.tools !== null && isStart) {
    const name = forbidden.map((tool) => tool.name).join(", ");
    await emit({ type: "run-note", note: { kind: "tools-not-allowed", name } });
  }
  return {
    model,
    fallbackModel: assistant.parameters.fallback_model,
    system: instructions(clock.now(), timeZone, assistant.instructions, personal),
    settings: modelSettingsOf(assistant.parameters, {
      effort: run.reasoning_effort,
      efforts: facts?.efforts ?? [],
    }),
    providerOptions: assistant.parameters.provider_options,
    ...conversationOf(branch, { isShared: shared !== undefined, steps }),
    readFiles: async (conversation, request) => {
      const fileOptions = { workspaceId, ...request, ...shared, signal };
      return await retried(async () => await extraction.resolveFiles(conversation, fileOptions));
    },
    tools: offeredTools(assistant, tools, { access, facts, hidesOtherThreads }).map((tool) =>
      unlessShared(db, threadId, tool),
    ),
    callerTools: [],
    context: { workspaceId, threadId, timeZone },
    managesModels: access.has("models.manage"),
    isHandedOver,
    partsBefore: reply.parts,
    stepEnds: reply.stepEnds ?? [],
    storedSteps: steps.get(run.reply_id!) ?? [],
    saveStep: async (step) =>
      await retried(async () => await db.write(async (tx) => await putReplyStep(tx, run.reply_id!, step))),
    // In a shared thread, one member's permanent permission does not apply to the others.
    allowedTools: async () =>
      shared === undefined ? await retried(async () => await allowedTools.list(threadId)) : [],
    approved,
  };
}

/** What the thread lets models know: a temporary one nothing about the person, a shared one only its own files. */
async function readThreadRules(
  { workspace_id: workspaceId, user_id: userId, thread_id: threadId }: rows.RunRow,
  { db, personalInstructions }: Pick<PrepareDependencies, "db" | "personalInstructions">,
  retried: Retried,
) {
  const { isLocalOnly, isTemporary, isShared } = await retried(
    async () => await findThreadRules(db, threadId!),
  );
  const personal = isTemporary
    ? undefined
    : await retried(async () => await personalInstructions.find({ userId, workspaceId }));
  const shared = isShared ? await retried(async () => await scopeOfShared(db, threadId!)) : undefined;
  return { personal, shared, isThreadLocalOnly: isLocalOnly, hidesOtherThreads: isTemporary || isShared };
}

/** The conversation as a model reads it. `steps` has the steps of its answers whose parts have data of their provider. */
export function conversationOf(
  { summary, pinned, messages, isCut }: SummarizedBranch,
  { isShared = false, steps }: { isShared?: boolean; steps?: Map<string, StoredStep[]> } = {},
): Pick<AnswerInput, "messages" | "summary" | "isCut"> {
  return {
    messages: toModelMessages(
      [...pinned, ...messages].map(({ id, role, format, content, is_pinned: isPinned }) => ({
        id,
        role,
        format,
        content: isShared ? withoutOtherThreads(JSON.parse(content)) : (JSON.parse(content) as unknown),
        isPinned: isPinned === 1,
      })),
      ({ id = "", role }, parts) => {
        // The data of a provider may have what the model read in other threads.
        const storedSteps = isShared && parts.some(isOfOtherThreads) ? undefined : steps?.get(id);
        return storedSteps === undefined ? modelMessages(role, parts) : stepMessages(parts, { storedSteps });
      },
    ),
    summary: summary && {
      text: summary.text,
      messageCount: summary.height + 1,
      pinnedCount: pinned.length,
    },
    isCut,
  };
}

function isOfOtherThreads(part: Part): boolean {
  return part.type === "tool-call" && isOtherThreadTool(part.toolName);
}

type Retried = <T>(work: () => Promise<T>) => Promise<T>;

const retryMs = 250;

/**
 * Repeats `work` while the database restarts or is locked, so that an answer in progress waits instead of failing.
 * Rejects with the signal's reason.
 */
export async function retryUntilAvailable<T>(
  work: () => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageBusyError)) throw error;
      await clock.sleep(retryMs, signal);
    }
  }
}
