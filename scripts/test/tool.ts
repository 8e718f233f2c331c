import { spawn } from "node:child_process";
import { root } from "../runner/files.mjs";
import { failedStage, passedStage, type Outcome } from "./outcome.ts";

// 45 minutes: a busy machine needs 25. A stage that hangs fails with its name instead of waiting forever.
const LIMIT_MINUTES = 45;

// No colours in log files.
const plain = process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: "1" };

/**
 * Runs a program with this process's Node and standard streams. Returns undefined on success, else a description of how it
 * ended.
 */
export function runTool(line: string[], env: Record<string, string> = {}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, line, {
      cwd: root,
      env: { ...process.env, ...plain, ...env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const stop = () => child.kill();
    let isOverdue = false;
    const limit = setTimeout(() => {
      isOverdue = true;
      stop();
    }, LIMIT_MINUTES * 60_000);
    process.once("exit", stop);
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => {
      clearTimeout(limit);
      process.off("exit", stop);
      if (isOverdue) resolve(`was stopped after ${LIMIT_MINUTES} minutes`);
      else if (code === 0) resolve(undefined);
      else resolve(signal ? `was stopped by ${signal}` : `ended with code ${code}`);
    });
  });
}

/** Runs one or more programs at the same time, all of which must succeed. */
export async function toolStage(...lines: string[][]): Promise<Outcome> {
  const problems = await Promise.all(lines.map((line) => runTool(line)));
  const complaints = lines.flatMap((line, i) => (problems[i] ? [`${line.join(" ")} ${problems[i]}.`] : []));
  return complaints.length === 0 ? passedStage() : failedStage(...complaints);
}
