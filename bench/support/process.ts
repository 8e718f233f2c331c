import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The clone's folder. */
export const root = join(import.meta.dirname, "..", "..");

/** A process of its own, so that what it uses is counted apart from what measures it. */
export type Measured = {
  url: string;
  pid: number;
  /** From the start until it reported that it listens. */
  readyMs: number;
  /** Processor time used so far, user and system. */
  cpuMs(): number;
  residentMiB(): number;
  stop(): Promise<void>;
};

/** Linux counts a process's time in hundredths of a second. */
const tickMs = 10;

/** Starts Node with `line` and waits for an address in what it prints. */
export async function startProcess(line: string[], env: Record<string, string> = {}): Promise<Measured> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, line, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /https?:\/\/[\d.]+:\d+/.exec(said);
      if (found !== null) resolve(found[0]);
    });
    child.once("exit", (code) => reject(new Error(`${line.join(" ")} ended with ${code}`)));
  });
  const readyMs = performance.now() - startedAt;
  const pid = child.pid!;
  return {
    url,
    pid,
    readyMs,
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
