import { createAskPerson } from "./ask-person.ts";
import { createCalculate } from "./calculate.ts";
import { createDate } from "./date.ts";
import { createIsolate, type IsolateOptions } from "./isolate.ts";
import type { Tool } from "./tool.ts";
import { createListThreads } from "./threads/list-threads.ts";
import { createReadThread } from "./threads/read-thread.ts";
import { createSearchThreads } from "./threads/search-threads.ts";
import type { Passages } from "../search/passages/passages.ts";
import type { RecentThreads } from "../search/recent.ts";

/** Everything an assistant can do here. */
export type Tools = {
  list(): Tool[];
  get(name: string): Tool | undefined;
  /** Ends the tools' worker; what is under way fails. */
  close(): Promise<void>;
};

/** What the tools look through. Left out, no assistant can. */
export type LookedThrough = { passages: Passages; recent: RecentThreads; builtinId: string };

/** `askPerson`: whether one of them is the tool that asks. `more` are tools of someone else, beside our own. */
export function createTools({
  askPerson = true,
  more = [],
  threads,
  ...options
}: IsolateOptions & {
  askPerson?: boolean;
  more?: readonly Tool[];
  threads?: LookedThrough | undefined;
}): Tools {
  const isolate = createIsolate(options);
  const tools: Tool[] = [
    createCalculate(isolate),
    createDate(isolate),
    ...(askPerson ? [createAskPerson()] : []),
    ...(threads === undefined
      ? []
      : [
          createSearchThreads(threads.passages, threads.builtinId),
          createListThreads(threads.recent),
          createReadThread(threads.recent),
        ]),
    ...more,
  ];
  return {
    list: () => tools,
    get: (name) => tools.find((tool) => tool.name === name),
    close: () => isolate.close(),
  };
}
