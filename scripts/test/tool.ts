import { spawn } from "node:child_process";
import { root } from "../runner/files.mjs";
import { failedStage, passedStage, type Outcome } from "./outcome.ts";

// 45 minutes: a busy machine needs twenty-five, and a stage that hangs is to fail with its name instead of waiting for ever.
const LIMIT_MINUTES = 45;

// Colours are for a person who watches; in a log they are litter.
const plain = process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: "1" };

/**
 * Runs a program with the Node we run under, its output going where ours goes. Answers undefined when it ended
 * well, else what it ended with.
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

/** A stage that is one or more programs, all of which have to end well. */
export async function toolStage(...lines: string[][]): Promise<Outcome> {
  const complaints: string[] = [];
  for (const line of lines) {
    const problem = await runTool(line);
    if (problem) complaints.push(`${line.join(" ")} ${problem}.`);
  }
  return complaints.length === 0 ? passedStage() : failedStage(...complaints);
}
