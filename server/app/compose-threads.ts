import { createAssistants } from "../assistants/assistants.ts";
import { createLive } from "../live/live.ts";
import { builtinInfo } from "../models/providers/builtin.ts";
import { createIndexer } from "../search/index-texts.ts";
import { createPassages } from "../search/passages/passages.ts";
import { createRecentThreads } from "../search/recent-threads.ts";
import { createSearch } from "../search/search.ts";
import { createAllowedTools } from "../threads/allowed-tools.ts";
import { createThreadAccess } from "../threads/members/thread-access.ts";
import { copyForMembers } from "../threads/members/feed-copies.ts";
import { createThreadMembers } from "../threads/members/members.ts";
import { createBookmarks } from "../threads/bookmarks.ts";
import { createThreads } from "../threads/threads.ts";
import { createTrash } from "../threads/trash.ts";
import { createToolRules } from "../tools/rules/tool-rules.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import { createTools } from "../tools/tools.ts";
import type { Dependencies } from "./dependencies.ts";

/** The modules of threads, assistants and their tools. */
export function composeThreads(
  { config, options, logger, clock, db, quota }: Dependencies,
  moreTools: readonly ToolDefinition[],
) {
  const live = createLive({ db, copy: copyForMembers });
  // With PostgreSQL, another process can get the request for the next page, so bookmarks are saved soon.
  const bookmarks = createBookmarks({ db, clock, logger, saveAfterMs: db.engine === "sqlite" ? 5_000 : 20 });
  const indexer = createIndexer({ db });
  const tools = createTools({
    logger,
    askPerson: config.askPerson,
    artifact: config.artifactTool,
    moreTools: [...moreTools, ...(options.tools ?? [])],
    threads: config.threadTools
      ? {
          passages: createPassages({ db, indexer }),
          recent: createRecentThreads({ db }),
          builtinId: builtinInfo.id,
        }
      : undefined,
  });
  const toolRules = createToolRules({ db, clock, live, tools: tools.list() });
  const toolNames = () => tools.list().map(({ name }) => name);
  const assistants = createAssistants({ db, live, clock, toolNames });
  const threads = createThreads({ db, assistants, live, clock, bookmarks, quota });
  const allowedTools = createAllowedTools({ db, clock, threads });
  const trash = createTrash({ db, live, clock });
  const threadAccess = createThreadAccess({ db });
  const search = createSearch({ db, indexer, sharedWith: threadAccess.sharedWith });
  return {
    live,
    bookmarks,
    indexer,
    search,
    tools,
    toolRules,
    assistants,
    threads,
    threadAccess,
    threadMembers: createThreadMembers({ db, clock, live, threads }),
    allowedTools,
    trash,
  };
}
