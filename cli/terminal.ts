import type { CliHost } from "./command-context.ts";

/** Writes to this process's standard output and standard error. */
export function terminal(): Pick<CliHost, "out" | "err"> {
  // A reader such as `head` may end first. The command does its work all the same.
  for (const output of [process.stdout, process.stderr])
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  return { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) };
}
