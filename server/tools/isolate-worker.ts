import { parentPort } from "node:worker_threads";
import type { Json } from "#contract/json.ts";
import type { Begins, Numbered } from "../lib/worker-pool.ts";
import { ToolError } from "./tool.ts";
import type { DateQuestion } from "./date/engine.ts";

/** What the worker is asked. Each engine is loaded when its first task comes. */
export type Task = { name: "calculate"; expression: string } | { name: "date"; question: DateQuestion };

/** What it tells when it has begun: a result, or a sentence for model and person. */
export type Told = { result: Json } | { says: string };

parentPort?.on("message", (task: Numbered<Task>) => {
  void tell(task);
});

async function tell({ id, body: task }: Numbered<Task>): Promise<void> {
  let told: Told;
  try {
    const work = await load(task);
    parentPort?.postMessage({ id, begins: true } satisfies Begins);
    told = { result: work() };
  } catch (error) {
    told = { says: error instanceof ToolError ? error.message : "This could not be worked out." };
  }
  parentPort?.postMessage({ id, body: told } satisfies Numbered<Told>);
}

async function load(task: Task): Promise<() => Json> {
  if (task.name === "calculate") {
    const { calculate, warmUp } = await import("./calculate/engine.ts");
    warmUp();
    return () => calculate(task.expression);
  }
  const { answerDate } = await import("./date/engine.ts");
  return () => answerDate(task.question);
}
