import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The real server, as a process of its own over a folder of its own. */
export type ServerProcess = {
  url: string;
  /** The owner's link, as it was printed. */
  ownerLink: string;
  /** Its data. */
  folder: string;
  /** Ends it in the middle of whatever it does, as a crash would. */
  kill(): Promise<void>;
  /** Ends it as an operator would, who starts it again afterwards. */
  stop(): Promise<void>;
  /** Starts it again at the same address over the same data. */
  startAgain(): Promise<void>;
  /** What its operator types at the command line, while it runs. Answers what that says; throws where it fails. */
  operate(...args: string[]): Promise<string>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
};

/** 30 s: a first start on two cores that a browser and another test share has taken 8. */
const startMs = 30_000;

export async function startServer(
  env: Record<string, string> = {},
  program = "server/main.ts",
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-e2e-"));
  const settings = { OLLAMA_URL: "off", LOG_LEVEL: "warn", ...env, HOST: "127.0.0.1", DATA_DIR: folder };
  let running = await run({ ...settings, PORT: "0" }, program);
  const { url, ownerLink } = running;

  return {
    url,
    ownerLink,
    folder,
    kill: async () => await end(running.child, "SIGKILL"),
    stop: async () => await end(running.child, "SIGTERM"),
    async startAgain() {
      running = await run({ ...settings, PORT: new URL(url).port }, program);
    },
    async operate(...args) {
      const typed = await promisify(execFile)(process.execPath, ["cli/main.ts", ...args], {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
      });
      return typed.stdout;
    },
    async close() {
      await end(running.child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Run = { child: ChildProcess; url: string; ownerLink: string };

async function run(env: Record<string, string>, program: string): Promise<Run> {
  // It ends with this process, however that ends.
  const options = ["--import", "./scripts/runner/stop-with-parent.mjs"];
  const runner = { PARLANCE_RUNNER_PID: String(process.pid) };
  const child = spawn(process.execPath, [...options, program], {
    cwd: root,
    // Of this process's environment only what a program needs to start: no setting of the machine's owner.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...runner, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  return await new Promise<Run>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`The server did not start:\n${said}`));
    }, startMs);
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const url = /listening on (http:\S+)/.exec(said)?.[1];
      const ownerLink = /(http:\S+\/owner#\S+)/.exec(said)?.[1];
      if (url === undefined || ownerLink === undefined) return;
      clearTimeout(timer);
      resolve({ child, url, ownerLink });
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("exit", () => {
      clearTimeout(timer);
      reject(new Error(`The server ended:\n${said}`));
    });
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
