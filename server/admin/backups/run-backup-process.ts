import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { BackupProblem, RestoreProblem } from "#contract/backups/backups.ts";
import type { BackedUp, BackUpTask, ProcessMessage, RestoreTask } from "./backup-process.ts";

type Progress = Extract<ProcessMessage, { progress: unknown }>["progress"];

/** A backup or a restore failed. */
export class BackupFailedError<Problem = BackupProblem | RestoreProblem> extends Error {
  override readonly name = "BackupFailedError";
  readonly problem: Problem;
  constructor(problem: Problem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Makes or restores a backup in a child process. Throws `BackupFailedError`, and the reason of the signal. */
export async function runBackupProcess<Task extends BackUpTask | RestoreTask>(
  task: Task,
  { signal, onProgress = () => {} }: { signal: AbortSignal; onProgress?: (progress: Progress) => void },
): Promise<Task extends BackUpTask ? BackedUp : null> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [fileURLToPath(new URL("./backup-process.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const stop = () => child.stdin.end();
  signal.addEventListener("abort", stop);
  try {
    const ended = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("close", (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    });
    const complaints = text(child.stderr).catch(() => "");
    // A process that ends before it has read its task is reported by its end.
    child.stdin.on("error", () => {});
    // Not ended: the process stops when this one is gone.
    child.stdin.write(`${JSON.stringify(task)}\n`);
    let last: ProcessMessage | undefined;
    for await (const line of createInterface(child.stdout)) {
      const message = JSON.parse(line) as ProcessMessage;
      if ("progress" in message) onProgress(message.progress);
      else last = message;
    }
    const how = await ended;
    signal.throwIfAborted();
    if (last === undefined || "progress" in last)
      throw new BackupFailedError(
        "other",
        `The process of the backup ended unexpectedly (${how}). ${(await complaints).slice(-1_000)}`.trim(),
      );
    if ("failed" in last) throw new BackupFailedError(last.failed, last.text);
    return last.done as Task extends BackUpTask ? BackedUp : null;
  } finally {
    signal.removeEventListener("abort", stop);
    child.stdin.end();
  }
}
