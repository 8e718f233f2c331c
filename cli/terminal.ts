import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { CliHost } from "./command-context.ts";

/** Reads and writes this process's terminal, standard output and standard error. */
export function terminal(): Pick<CliHost, "ask" | "askSecret" | "out" | "err"> {
  // A reader such as `head` may end first. The command does its work all the same.
  for (const output of [process.stdout, process.stderr])
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  return {
    ...(process.stdin.isTTY ? { ask, askSecret } : {}),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  };
}

async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  // The interface echoes what is typed to its output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const stop = new AbortController();
  reader.once("SIGINT", () => process.kill(process.pid, "SIGINT")).once("close", () => stop.abort());
  try {
    return await reader.question("", { signal: stop.signal });
  } finally {
    reader.close();
    process.stderr.write("\n");
  }
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
