import type { Database } from "#storage/database/database.ts";
import type { ModelFacts, ToolDeclaration } from "#server/models/model.ts";
import type { Access } from "#server/people/rights/access.ts";
import { isShared } from "#server/threads/members/rows.ts";
import { isOffered, type RunRules } from "#server/tools/rules/decide.ts";
import { identify, ToolError, type Tool } from "#server/tools/tool.ts";
import { listStrangers } from "../calls/rows.ts";
import { noAssistant } from "../model-rules.ts";
import type { PrepareModules, RequestTools, RunFacts } from "./prepared-run.ts";

/**
 * Tools of one origin. What a source returns is only a proposal: `readTools` offers those that the assistant, the person
 * and the thread allow. The receipt lists every tool of a request.
 *
 * The start of an answer waits for every source, so a source lists what it has cached and asks nobody. One that fails or
 * takes longer than `sourceWaitMs` costs the run its tools and gets a note.
 */
export type ToolSource =
  | {
      name: string;
      executedBy: "server";
      list(run: RunFacts, modules: PrepareModules): Promise<ListedTools>;
    }
  | { name: string; executedBy: "caller"; list(run: RunFacts): readonly ToolDeclaration[] };

/** The tools of a source that this person with this assistant in this thread may use. */
export type ListedTools = {
  tools: readonly Tool[];
  /** What people call the parts of the source that cannot be used now, such as one of its servers. */
  unavailable?: readonly string[];
};

/** The start of an answer waits this long for a source that should have answered from its cache. */
const sourceWaitMs = 250;

/** OpenAI refuses requests with more tools. The built-in ones come first. */
const toolsMax = 128;
/** How many of the others are named in the note about them. */
const namedMax = 5;

/** In the order of the request. Of two tools with one name, the first one is offered. */
const toolSources: readonly ToolSource[] = [
  { name: "built-in", executedBy: "server", list: listBuiltIn },
  { name: "tool servers", executedBy: "server", list: listOfServers },
  {
    name: "client",
    executedBy: "caller",
    list: ({ conversation }) => (conversation.from === "client" ? conversation.tools : []),
  },
];

async function listBuiltIn({ retried }: RunFacts, { tools }: PrepareModules): Promise<ListedTools> {
  return { tools: (await Promise.all(tools.map(async (tool) => await asSetUp(tool, retried)))).flat() };
}

/** The tool with its current facts; empty if it is not set up. */
async function asSetUp(tool: Tool, retried: RunFacts["retried"]): Promise<Tool[]> {
  const { currentFacts } = tool.run === undefined ? {} : tool;
  if (currentFacts === undefined) return [tool];
  const facts = await retried(currentFacts);
  return facts === undefined ? [] : [identify({ ...tool, ...facts }, tool.source)];
}

/** Those of the person who asks, also in a thread of somebody else. */
async function listOfServers({ use }: RunFacts, { toolServers }: PrepareModules): Promise<ListedTools> {
  return await toolServers.of(use);
}

/** The tools of every source that may be offered here. */
export async function readTools(
  run: RunFacts,
  modules: PrepareModules,
  here: { access: Pick<Access, "tool">; facts: ModelFacts | undefined; mustBeLocal: boolean },
  sources: readonly ToolSource[] = toolSources,
): Promise<Omit<RequestTools, "stepsMax">> {
  const { assistant, thread, use } = run;
  const { access, facts } = here;
  const canCall = assistant !== undefined && facts?.tools !== false && run.ownTools !== "none";
  const readRules = async (mustBeLocal?: boolean) => await readRunRules(run, modules, mustBeLocal);
  const [{ tools, unavailable = [] }, rules] = canCall
    ? await Promise.all([listTools(run, modules, sources), readRules(here.mustBeLocal)])
    : [{ tools: [] }, undefined];
  const own = tools.filter(({ name }) => isOf(assistant, name));
  const hidesOtherThreads = thread.isTemporary || thread.isShared;
  const usable = own.filter(
    (tool) =>
      access.tool(tool.name) &&
      !(hidesOtherThreads && tool.readsOtherThreads) &&
      rules !== undefined &&
      isOffered(tool, rules),
  );
  const offered = usable.slice(0, toolsMax);
  const leftOut = usable.slice(toolsMax).map(({ title, name }) => title ?? name);
  const { threadId } = use;
  const namesOf = (list: readonly Tool[]) => list.map(({ name }) => name);
  return {
    tools: threadId === null ? offered : offered.map((tool) => unlessShared(modules.db, threadId, tool)),
    callerTools: sources.flatMap((source) => (source.executedBy === "caller" ? source.list(run) : [])),
    unavailableTools: [
      ...unavailable,
      ...leftOut.slice(0, namedMax),
      ...(leftOut.length > namedMax ? ["…"] : []),
    ],
    forbiddenTools: namesOf(own.filter(({ name }) => !access.tool(name))),
    remoteTools: here.mustBeLocal ? namesOf(own.filter(({ sendsTo }) => sendsTo !== undefined)) : [],
    readRules: async () => await readRules(),
    listStrangers: async () => (threadId === null ? [] : await listStrangers(modules.db, threadId)),
  };
}

/** What holds for the calls of this run now. In a shared thread, no member's allowance is used. */
async function readRunRules(
  { use, thread, assistant, ownTools, retried }: RunFacts,
  { db, allowedTools, toolRules, modelRules }: PrepareModules,
  mustBeLocal: boolean | undefined,
): Promise<RunRules> {
  const { threadId } = use;
  const isUnattended = ownTools === "unattended";
  return await retried(async () => ({
    ...(await toolRules.of(use)),
    inThread: threadId === null || isUnattended ? [] : await allowedTools.list(threadId),
    isShared: thread.isShared || (threadId !== null && (await isShared(db.read, threadId))),
    mustBeLocal: mustBeLocal ?? (await modelRules.mustBeLocal(use, assistant ?? noAssistant)),
    isUnattended,
  }));
}

/** Names of tools that no longer exist are ignored. */
function isOf(assistant: RunFacts["assistant"], name: string): boolean {
  return assistant !== undefined && (assistant.tools === null || assistant.tools.includes(name));
}

/** What the sources list, each name once. */
async function listTools(
  run: RunFacts,
  modules: PrepareModules,
  sources: readonly ToolSource[],
): Promise<ListedTools> {
  const listed = await Promise.all(
    sources.flatMap((source) => (source.executedBy === "server" ? [listOrGiveUp(source, run, modules)] : [])),
  );
  const tools = new Map<string, Tool>();
  for (const tool of listed.flatMap((source) => source.tools))
    if (!tools.has(tool.name)) tools.set(tool.name, tool);
  return { tools: [...tools.values()], unavailable: listed.flatMap(({ unavailable = [] }) => unavailable) };
}

async function listOrGiveUp(
  source: ToolSource & { executedBy: "server" },
  run: RunFacts,
  modules: PrepareModules,
): Promise<ListedTools> {
  const { clock, logger } = modules;
  const listed = new AbortController();
  const tooLate = clock.sleep(sourceWaitMs, listed.signal).then(() => {
    throw new Error(`the source took longer than ${sourceWaitMs} ms`);
  });
  tooLate.catch(() => {});
  try {
    return await Promise.race([source.list(run, modules), tooLate]);
  } catch (error) {
    logger.warn(
      { err: error, source: source.name },
      "a source of tools failed, so a run goes without its tools",
    );
    return { tools: [], unavailable: [source.name] };
  } finally {
    listed.abort();
  }
}

/** A tool that reads other threads fails once the thread is shared with people, also during the answer. */
function unlessShared(db: Database, threadId: string, tool: Tool): Tool {
  const { run } = tool;
  if (run === undefined || !tool.readsOtherThreads) return tool;
  async function requireUnshared(): Promise<void> {
    if (await isShared(db.read, threadId))
      throw new ToolError("This chat is shared with people, so other chats cannot be read in it.");
  }
  return {
    ...tool,
    async run(args, context) {
      await requireUnshared();
      const result = await run(args, context);
      await requireUnshared();
      return result;
    },
  };
}
