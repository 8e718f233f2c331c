import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleArgs } from "../../scripts/test/server-bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The real server in its own process with its own data folder. */
export type ServerProcess = {
  url: string;
  /** The printed owner link. */
  ownerLink: string;
  /** The data folder. */
  folder: string;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Stops it gracefully. */
  stop(): Promise<void>;
  /** Starts it again at the same address with the same data. */
  restart(): Promise<void>;
  /** Runs a command of the command line on its data. Returns the output; throws if the command fails. */
  runCommand(...args: string[]): Promise<string>;
  /** Stops it and deletes its data. */
  close(): Promise<void>;
};

/** 30 s: a first start on two busy cores has taken 8. */
const startMs = 30_000;

export async function startServer(
  env: Record<string, string> = {},
  program = "server/main.mjs",
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(process.env["E2E_FOLDER"] ?? tmpdir(), "parlance-e2e-"));
  const settings = {
    OLLAMA_URL: "off",
    LOG_LEVEL: "warn",
    // A test that ends does not wait for its answers.
    SHUTDOWN_GRACE_SECONDS: "0",
    ...env,
    HOST: "127.0.0.1",
    DATA_DIR: folder,
  };
  let running = await run({ PORT: "0", ...settings }, program);
  const { url } = running;
  const start = async () => await run({ ...settings, PORT: new URL(url).port }, program);

  return {
    url,
    get ownerLink() {
      return running.ownerLink;
    },
    folder,
    kill: async () => await end(running.child, "SIGKILL"),
    stop: async () => await end(running.child, "SIGTERM"),
    async restart() {
      running = await start();
    },
    async runCommand(...args) {
      const result = await promisify(execFile)(process.execPath, ["cli/main.ts", ...args], {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
      });
      return result.stdout;
    },
    async close() {
      await end(running.child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Run = { child: ChildProcess; url: string; ownerLink: string };

async function run(env: Record<string, string>, program: string): Promise<Run> {
  // The server stops with this process, even if it crashes.
  const options = ["--import", "./scripts/runner/stop-with-parent.mjs", ...(await bundleArgs())];
  const runner = { PARLANCE_RUNNER_PID: String(process.pid) };
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...options, program], {
    cwd: root,
    // Only the variables that a program needs to start, without settings of this machine.
    env: { PATH, HOME, TMPDIR, ...runner, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  return await new Promise<Run>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`The server did not start:\n${output}`));
    }, startMs);
    const onOutput = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /listening on (https?:\S+)/.exec(output)?.[1];
      const ownerLink = /(https?:\S+\/owner#\S+)/.exec(output)?.[1];
      if (url === undefined || ownerLink === undefined) return;
      clearTimeout(timer);
      resolve({ child, url, ownerLink });
    };
    child.stdout?.on("data", onOutput);
    child.stderr?.on("data", onOutput);
    child.on("exit", () => {
      clearTimeout(timer);
      reject(new Error(`The server ended:\n${output}`));
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
