import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Starts the model server in a separate process: fifty readers in this one would slow its stream down. */
export async function startModelProcess(): Promise<{ url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, ["fixtures/model-server/main.ts", "--port", "0"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return {
    url: line.trim().split("OPENAI_BASE_URL=")[1]!,
    async close() {
      process.off("exit", kill);
      const ended = once(child, "exit");
      kill();
      await ended;
    },
  };
}
