import { createArtifact } from "./artifacts/artifact.ts";
import { createAskPerson } from "./ask-person.ts";
import { createCalculate } from "./calculate.ts";
import { createDate } from "./date.ts";
import { createToolWorker, type ToolWorkerOptions } from "./tool-worker.ts";
import { builtInSource, identify, type Tool, type ToolDefinition } from "./tool.ts";
import { createListThreads } from "./threads/list-threads.ts";
import { createReadThread } from "./threads/read-thread.ts";
import { createSearchThreads } from "./threads/search-threads.ts";
import type { Passages } from "../search/passages/passages.ts";
import type { RecentThreads } from "../search/recent-threads.ts";

/** What the tools search. */
export type SearchableThreads = { passages: Passages; recent: RecentThreads; builtinId: string };

/** The built-in tools of assistants. */
export type Tools = ReturnType<typeof createTools>;

/** Without `threads`, assistants cannot search threads. */
export function createTools({
  askPerson = true,
  artifact = true,
  moreTools = [],
  threads,
  ...options
}: ToolWorkerOptions & {
  askPerson?: boolean;
  artifact?: boolean;
  /** Those of other modules. */
  moreTools?: readonly ToolDefinition[];
  threads?: SearchableThreads | undefined;
}) {
  const worker = createToolWorker(options);
  const definitions: ToolDefinition[] = [
    createCalculate(worker),
    createDate(worker),
    ...(askPerson ? [createAskPerson()] : []),
    ...(artifact ? [createArtifact()] : []),
    ...(threads === undefined
      ? []
      : [
          createSearchThreads(threads.passages, threads.builtinId),
          createListThreads(threads.recent),
          createReadThread(threads.recent),
        ]),
    ...moreTools,
  ];
  const tools: readonly Tool[] = definitions.map((tool) => identify(tool, builtInSource));
  return {
    list: () => tools,
    get: (name: string): Tool | undefined => tools.find((tool) => tool.name === name),
    /** Stops the tools' worker. Running calls fail. */
    close: (): Promise<void> => worker.close(),
  };
}
