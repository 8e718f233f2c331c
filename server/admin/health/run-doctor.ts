import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Installation } from "../doctor/installation.ts";
import type { Diagnosis } from "../doctor/doctor.ts";

/** What the process reads from its standard input. */
export type DoctorTask = { installation: Installation; nowMs: number };

/** Ten minutes: the checks read every row and list every file. */
const limitMs = 10 * 60_000;
const outputBytesMax = 64 * 1024 * 1024;

/** Runs the doctor in a process of its own: a query of SQLite blocks its thread, and can only be killed from outside. */
export async function runDoctor(task: DoctorTask, signal: AbortSignal): Promise<Diagnosis> {
  const running = promisify(execFile)(
    process.execPath,
    [fileURLToPath(new URL("./doctor-process.ts", import.meta.url))],
    { timeout: limitMs, killSignal: "SIGKILL", maxBuffer: outputBytesMax, signal },
  );
  // A process that ends before it has read its task is reported by its own error.
  running.child.stdin!.on("error", () => {});
  running.child.stdin!.end(JSON.stringify(task));
  return JSON.parse((await running).stdout) as Diagnosis;
}
