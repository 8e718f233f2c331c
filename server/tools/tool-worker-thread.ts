import { parentPort } from "node:worker_threads";
import type { Json } from "#contract/json.ts";
import type { StartedMessage, WorkerMessage } from "../lib/isolated-worker.ts";
import { ToolError } from "./tool.ts";
import type { DateQuestion } from "./date/answer-date.ts";

/** A task for the worker. Each engine is loaded at its first task. */
export type Task = { name: "calculate"; expression: string } | { name: "date"; question: DateQuestion };

/** A result, or an error message for the model and the person. */
export type TaskResult = { result: Json } | { error: string };

parentPort?.on("message", (task: WorkerMessage<Task>) => {
  void execute(task);
});

async function execute({ id, body: task }: WorkerMessage<Task>): Promise<void> {
  let result: TaskResult;
  try {
    const work = await load(task);
    parentPort?.postMessage({ id, begins: true } satisfies StartedMessage);
    result = { result: work() };
  } catch (error) {
    result = { error: error instanceof ToolError ? error.message : "The tool failed. Try other arguments." };
  }
  parentPort?.postMessage({ id, body: result } satisfies WorkerMessage<TaskResult>);
}

async function load(task: Task): Promise<() => Json> {
  if (task.name === "calculate") {
    const { calculate, warmUp } = await import("./calculate/evaluate.ts");
    warmUp();
    return () => calculate(task.expression);
  }
  const { answerDate } = await import("./date/answer-date.ts");
  return () => answerDate(task.question);
}
