import { parentPort } from "node:worker_threads";
import type { Json } from "#contract/json.ts";
import { ToolError } from "./tool.ts";
import type { DateQuestion } from "./date/engine.ts";

/** What the worker is asked. Each engine is loaded when its first task comes. */
export type Task = { name: "calculate"; expression: string } | { name: "date"; question: DateQuestion };

/** What it tells: that all is loaded and the work begins; then a result, or a sentence for model and person. */
export type Told = { id: number } & ({ begins: true } | { result: Json } | { says: string });

parentPort?.on("message", ({ id, task }: { id: number; task: Task }) => {
  void tell(id, task);
});

async function tell(id: number, task: Task): Promise<void> {
  let told: Told;
  try {
    const work = await load(task);
    parentPort?.postMessage({ id, begins: true });
    told = { id, result: work() };
  } catch (error) {
    told = { id, says: error instanceof ToolError ? error.message : "This could not be worked out." };
  }
  parentPort?.postMessage(told);
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
