import { parentPort, workerData } from "node:worker_threads";
import type { WorkerMessage } from "../../lib/isolated-worker.ts";
import { diagnose, type Installation } from "../doctor/diagnose.ts";
import type { Diagnosis } from "../doctor/doctor.ts";

/** The body of a task is the time in milliseconds. */
parentPort?.on("message", ({ id, body: nowMs }: WorkerMessage<number>) => {
  const startMs = performance.now();
  const now = () => nowMs + performance.now() - startMs;
  // An error ends the thread and the task.
  void diagnose(workerData as Installation, now).then((body) =>
    parentPort?.postMessage({ id, body } satisfies WorkerMessage<Diagnosis>),
  );
});
