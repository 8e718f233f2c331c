import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The clone's folder. */
export const root = join(import.meta.dirname, "..", "..");

/** A separate process, so that its processor time and memory can be measured. */
export type Measured = {
  url: string;
  pid: number;
  /** From the spawn until it printed its URL. */
  readyMs: number;
  /** Waits until its output matches. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Processor time used so far, user and system. */
  cpuMs(): number;
  residentMiB(): number;
  stop(): Promise<void>;
};

/** The unit of processor times in /proc. */
const tickMs = 10;

/** Starts Node with `args` and resolves when it has printed a URL. */
export async function startProcess(args: string[], env: Record<string, string> = {}): Promise<Measured> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  const printed = async (pattern: RegExp): Promise<RegExpExecArray> =>
    await new Promise((resolve, reject) => {
      const check = (): void => {
        const found = pattern.exec(stdout);
        if (found === null) return;
        child.stdout.off("data", check);
        resolve(found);
      };
      child.stdout.on("data", check);
      child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
      check();
    });
  const [url] = await printed(/https?:\/\/[\d.]+:\d+/);
  const readyMs = performance.now() - startedAt;
  const pid = child.pid!;
  return {
    url,
    pid,
    readyMs,
    printed,
    cpuMs() {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
      return (Number(fields[11]) + Number(fields[12])) * tickMs;
    },
    residentMiB() {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}
