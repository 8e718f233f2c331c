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

export function createTools(options: IsolateOptions): Tools {
  const isolate = createIsolate(options);
  const tools = [createCalculate(isolate), createDate(isolate)];
  return {
    list: () => tools,
    get: (name) => tools.find((tool) => tool.name === name),
    close: () => isolate.close(),
  };
}
