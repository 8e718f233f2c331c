import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ModelServer } from "#fixtures/model-server/model-server.ts";
import { bundleArgs } from "../../../scripts/test/server-bundle.ts";
import { settingsOf, type ServerPlace } from "./server.ts";

/** A server in a separate process, started as an operator starts it, from a bundle. */
export type ChildServer = {
  url: string;
  ownerLink: string;
  /** The log so far: what it wrote to standard error. */
  log(): string;
  /** Sends a signal that does not end the process. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Sends the signal and resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<Ended>;
};

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

const main = fileURLToPath(new URL("../../../server/main.mjs", import.meta.url));
/** A server with tools that ask a person. It writes the executed calls to `CALLS_FILE`. */
export const mainWithTools = fileURLToPath(new URL("main-with-tools.ts", import.meta.url));

/** Starts a server and waits until it listens. Throws with its output if it exits instead. */
export async function startChildServer(
  place: ServerPlace,
  model: ModelServer | undefined,
  settings: Record<string, string> = {},
  program = main,
): Promise<ChildServer> {
  const args = [...(await bundleArgs()), program];
  return await childServerOf(spawnServer(settingsOf(place, model, { LOG_LEVEL: "info", ...settings }), args));
}

/** Waits until a process that starts a server listens. Throws with its output if it exits instead. */
export async function childServerOf(child: SpawnedServer): Promise<ChildServer> {
  // With an account of the owner, there is only a page to sign in.
  const listening = /listening on (\S+)[^]*?(\S+\/(?:owner#\S+|sign-in\n))/;
  const started = await Promise.race([child.waitForOutput(listening), child.ended.then(() => undefined)]);
  if (started === undefined) {
    const { stdout, stderr } = await child.ended;
    throw new Error(`The server did not start. ${stdout}${stderr}`);
  }
  return {
    url: started[1]!,
    ownerLink: started[2]!,
    log: child.stderr,
    signal: (signal) => void child.process.kill(signal),
    async end(signal) {
      child.process.kill(signal);
      return await child.ended;
    },
  };
}

/** Starts a server that is expected to exit, and waits for that. */
export async function runServerToItsEnd(settings: Record<string, string>): Promise<Ended> {
  return await spawnServer(settings).ended;
}

const alive = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

type SpawnedServer = ReturnType<typeof spawnServer>;

export function spawnServer(
  settings: Record<string, string>,
  args = [main],
  { program = process.execPath, ...options }: SpawnOptions & { program?: string } = {},
) {
  // Only these variables, so that settings in the environment of the tests have no effect.
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(program, args, {
    ...options,
    env: { PATH, HOME, TMPDIR, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const listen of listeners) listen();
    });
  }
  const ended = once(child, "close").then(([code, signal]) => {
    alive.delete(child);
    return { code, signal, ...output };
  });
  return {
    process: child,
    ended,
    stderr: () => output.stderr,
    waitForOutput: async (pattern: RegExp): Promise<RegExpExecArray> =>
      await new Promise((resolve) => {
        const check = (): void => {
          const found = pattern.exec(output.stdout);
          if (found === null) return;
          listeners.delete(check);
          resolve(found);
        };
        listeners.add(check);
        check();
      }),
  };
}
