import { createAskPerson } from "./ask-person.ts";
import { createCalculate } from "./calculate.ts";
import { createDate } from "./date.ts";
import { createIsolate, type IsolateOptions } from "./isolate.ts";
import type { Tool } from "./tool.ts";

/** Everything an assistant can do here. */
export type Tools = {
  list(): Tool[];
  get(name: string): Tool | undefined;
  /** Ends the tools' worker; what is under way fails. */
  close(): Promise<void>;
};

/** `more` are tools of someone else, beside our own. */
export function createTools({ more = [], ...options }: IsolateOptions & { more?: readonly Tool[] }): Tools {
  const isolate = createIsolate(options);
  const tools: Tool[] = [createCalculate(isolate), createDate(isolate), createAskPerson(), ...more];
  return {
    list: () => tools,
    get: (name) => tools.find((tool) => tool.name === name),
    close: () => isolate.close(),
  };
}
