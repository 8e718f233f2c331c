import type { Database } from "#storage/database/database.ts";
import type { ModelFacts, ToolDeclaration } from "#server/models/model.ts";
import type { Access } from "#server/people/rights/access.ts";
import { isShared } from "#server/threads/members/rows.ts";
import { runsUnattended, ToolError, type Tool } from "#server/tools/tool.ts";
import type { PrepareModules, RequestTools, RunFacts } from "./prepared-run.ts";

/**
 * Tools of one origin. What a source returns is only a proposal: `readTools` offers those that the assistant, the person
 * and the thread allow. The receipt lists every tool of a request.
 */
type ToolSource =
  | { name: string; executedBy: "server"; list(run: RunFacts, modules: PrepareModules): readonly Tool[] }
  | { name: string; executedBy: "caller"; list(run: RunFacts): readonly ToolDeclaration[] };

/** In the order of the request. */
const toolSources: readonly ToolSource[] = [
  { name: "server", executedBy: "server", list: listOwn },
  {
    name: "client",
    executedBy: "caller",
    list: ({ conversation }) => (conversation.from === "client" ? conversation.tools : []),
  },
];

function listOwn({ ownTools }: RunFacts, { tools }: PrepareModules): readonly Tool[] {
  if (ownTools === "none") return [];
  return ownTools === "unattended" ? tools.filter(runsUnattended) : tools;
}

/** The tools of every source that may be offered here. */
export function readTools(
  run: RunFacts,
  modules: PrepareModules,
  { access, facts }: { access: Pick<Access, "tool">; facts: ModelFacts | undefined },
): RequestTools {
  const { assistant, thread, use, retried } = run;
  const server: Tool[] = [];
  const callerTools: ToolDeclaration[] = [];
  for (const source of toolSources) {
    if (source.executedBy === "server") server.push(...source.list(run, modules));
    else callerTools.push(...source.list(run));
  }
  const own = facts?.tools === false ? [] : server.filter(({ name }) => isOf(assistant, name));
  const hidesOtherThreads = thread.isTemporary || thread.isShared;
  const offered = own.filter(
    ({ name, readsOtherThreads }) => access.tool(name) && !(hidesOtherThreads && readsOtherThreads),
  );
  const { threadId } = use;
  return {
    tools: threadId === null ? offered : offered.map((tool) => unlessShared(modules.db, threadId, tool)),
    callerTools,
    forbiddenTools: own.filter(({ name }) => !access.tool(name)).map(({ name }) => name),
    // In a shared thread, one member's permanent permission does not apply to the others.
    allowedTools: async () =>
      threadId === null || thread.isShared
        ? []
        : await retried(async () => await modules.allowedTools.list(threadId)),
  };
}

/** Names of tools that no longer exist are ignored. */
function isOf(assistant: RunFacts["assistant"], name: string): boolean {
  return assistant !== undefined && (assistant.tools === null || assistant.tools.includes(name));
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
