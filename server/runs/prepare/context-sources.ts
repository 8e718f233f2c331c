import type { ContextKind } from "#contract/endpoints/summaries.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { cutText } from "#contract/text.ts";
import { filesOfThread } from "#server/files/file-reference-rows.ts";
import type { SummarizedBranch } from "#server/messages/history.ts";
import type { ModelMessage } from "#server/models/model.ts";
import { isOtherThreadTool, withoutOtherThreads } from "#server/parts/other-threads.ts";
import { modelMessages, toModelMessages } from "#server/parts/to-model.ts";
import type { RequestSummary } from "../compaction/summary-message.ts";
import { stepMessages } from "../reply-steps.ts";
import type {
  PrepareModules,
  ReadFiles,
  RequestContext,
  RunFacts,
  StoredConversation,
} from "./prepared-run.ts";

/**
 * The places in a request and what a source can put there. A source has no other way into the request, and the receipt
 * lists all that is in these places (`server/models/providers/requests/list-items.ts`).
 */
type Places = {
  /** A paragraph of the system prompt. */
  instructions: string;
  summary: RequestSummary;
  messages: Pick<RequestContext, "messages" | "isCut">;
  files: ReadFiles;
};

/**
 * How much a source adds at most: the rest of a longer text is left out. `all`: a client's text is sent as it is. `rest`:
 * what the model has room for besides the others; `server/runs/compaction/request-room.ts` leaves out the oldest.
 */
type Budget = {
  instructions: { charactersMax: number } | "all";
  summary: { charactersMax: number };
  messages: "rest";
  files: "rest";
};

type Found<T> = T | undefined | Promise<T | undefined>;

/** `place` is also its line where the page shows what takes up the model's context. */
type SourceAt<Place extends keyof Places & ContextKind> = {
  name: string;
  place: Place;
  budget: Budget[Place];
  /** Returns `undefined` if it has nothing for this run. */
  read(run: RunFacts, modules: PrepareModules): Found<Places[Place]>;
};

type ContextSource = { [Place in keyof Places]: SourceAt<Place> }[keyof Places];

/** What the server adds to the texts of people, such as the date. */
const frameCharacters = 1_000;

/** What a model reads besides its tools. Those of one place are in the order of the request. */
const contextSources: readonly ContextSource[] = [
  {
    name: "assistant",
    place: "instructions",
    budget: { charactersMax: limits.instructionsCharacters + frameCharacters },
    read: readInstructions,
  },
  {
    name: "person",
    place: "instructions",
    budget: { charactersMax: limits.personalInstructionsCharacters + frameCharacters },
    read: readPersonal,
  },
  {
    name: "client",
    place: "instructions",
    budget: "all",
    read: ({ conversation }) => (conversation.from === "client" ? conversation.system : undefined),
  },
  {
    name: "summary",
    place: "summary",
    budget: { charactersMax: limits.summaryCharacters },
    read: ({ conversation }) => (conversation.from === "thread" ? summaryOf(conversation.branch) : undefined),
  },
  { name: "history", place: "messages", budget: "rest", read: readHistory },
  { name: "files", place: "files", budget: "rest", read: readerOfFiles },
];

/** Asks every source and puts what it has in its place. */
export async function readContext(run: RunFacts, modules: PrepareModules): Promise<RequestContext> {
  const read = async <T>(source: { read(run: RunFacts, modules: PrepareModules): Found<T> }) =>
    await run.retried(async () => await source.read(run, modules));
  const paragraphs: string[] = [];
  const context: Omit<RequestContext, "system"> = { messages: [] };
  for (const source of contextSources) {
    switch (source.place) {
      case "instructions":
        paragraphs.push(cut((await read(source)) ?? "", source.budget));
        break;
      case "summary": {
        const summary = await read(source);
        if (summary !== undefined) context.summary = { ...summary, text: cut(summary.text, source.budget) };
        break;
      }
      case "messages":
        Object.assign(context, await read(source));
        break;
      case "files":
        context.readFiles = await read(source);
    }
  }
  return { ...context, system: paragraphs.filter((text) => text !== "").join("\n\n") };
}

function cut(text: string, budget: Budget["instructions"]): string {
  return budget === "all" ? text : cutText(text, budget.charactersMax);
}

const defaultInstructions = [
  "You are a helpful assistant in a chat. Answer in the language of the person who writes.",
  "Be direct and exact; say so when you do not know. Use Markdown where it helps reading: lists, tables, fenced code with its language.",
].join("\n");

/** The assistant's own instructions, or the default ones if they are empty, and the date in the person's time zone. */
function readInstructions({ assistant, nowMs, timeZone }: RunFacts): string | undefined {
  if (assistant === undefined) return undefined;
  const dateFormat = new Intl.DateTimeFormat("en", { dateStyle: "full", timeZone });
  const today = `Today is ${dateFormat.format(nowMs)}.`;
  const own = assistant.instructions;
  return own === "" ? `${defaultInstructions}\n${today}` : `${own}\n\n${today}`;
}

/** What the person wrote about themselves, except in a temporary thread. Nothing else tells the model about the person. */
async function readPersonal(
  { conversation, thread, use }: RunFacts,
  { personalInstructions }: PrepareModules,
): Promise<string | undefined> {
  if (conversation.from === "client" || thread.isTemporary) return undefined;
  const text = await personalInstructions.find(use);
  return text === ""
    ? undefined
    : `The person wrote this about themselves and the answers they want:\n\n${text}`;
}

export function summaryOf({ summary, pinned }: SummarizedBranch): RequestSummary | undefined {
  return summary && { text: summary.text, messageCount: summary.height + 1, pinnedCount: pinned.length };
}

function readHistory({ conversation, thread }: RunFacts): Places["messages"] {
  if (conversation.from === "client") return { messages: conversation.messages };
  return {
    messages: historyOf({ ...conversation, isShared: thread.isShared }),
    isCut: conversation.branch.isCut,
  };
}

/** The messages as a model reads them; in a shared thread without what tools read in other threads. */
export function historyOf({
  branch: { pinned, messages },
  steps,
  isShared = false,
}: Pick<StoredConversation, "branch"> &
  Partial<Pick<StoredConversation, "steps">> & { isShared?: boolean }): ModelMessage[] {
  return toModelMessages(
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
  );
}

function isOfOtherThreads(part: Part): boolean {
  return part.type === "tool-call" && isOtherThreadTool(part.toolName);
}

/** In a thread that is shared with people, models read only its own files. A client chooses the files that it sends. */
async function readerOfFiles(
  { conversation, thread, use, signal, retried }: RunFacts,
  { db, extraction }: PrepareModules,
): Promise<ReadFiles> {
  const { workspaceId, threadId } = use;
  const isScoped = conversation.from === "thread" && thread.isShared;
  const scope = isScoped ? { onlyFiles: new Set(await filesOfThread(db, threadId!)) } : {};
  return async (messages, request) =>
    await retried(
      async () => await extraction.resolveFiles(messages, { workspaceId, ...scope, ...request, signal }),
    );
}
