import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ModelServer } from "#fixtures/model-server/model-server.ts";
import { settingsOf, type ServerPlace } from "./server.ts";

/** A server in a process of its own, as the operator starts it. */
export type ChildServer = {
  url: string;
  ownerLink: string;
  /** What it wrote to standard error so far: its log. */
  log(): string;
  /** Sends the signal and resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<Ended>;
};

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
/** The same with tools that ask: what they did stands in `DEEDS_FILE`. */
export const mainWithTools = fileURLToPath(new URL("main-with-tools.ts", import.meta.url));

/** Starts it and waits until it listens; throws what it said where it ends instead. */
export async function startChildServer(
  place: ServerPlace,
  model: ModelServer | undefined,
  settings: Record<string, string> = {},
  program = main,
): Promise<ChildServer> {
  const child = spawnServer(settingsOf(place, model, { LOG_LEVEL: "info", ...settings }), program);
  const listening = /listening on (\S+)[^]*owner's: (\S+)/;
  const started = await Promise.race([child.said(listening), child.ended.then(() => undefined)]);
  if (started === undefined) {
    const { stdout, stderr } = await child.ended;
    throw new Error(`The server did not start. ${stdout}${stderr}`);
  }
  return {
    url: started[1]!,
    ownerLink: started[2]!,
    log: child.stderr,
    async end(signal) {
      child.process.kill(signal);
      return await child.ended;
    },
  };
}

/** Starts one that is not expected to last, and waits for its end. */
export async function runServerToItsEnd(settings: Record<string, string>): Promise<Ended> {
  return await spawnServer(settings).ended;
}

const alive = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

function spawnServer(settings: Record<string, string>, program = main) {
  // Of our own environment only what a program needs to run: no setting of whoever runs the tests.
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [program], {
    env: { PATH, HOME, TMPDIR, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  const said = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      for (const listen of listeners) listen();
    });
  }
  const ended = once(child, "close").then(([code, signal]) => {
    alive.delete(child);
    return { code, signal, ...said };
  });
  return {
    process: child,
    ended,
    stderr: () => said.stderr,
    said: async (pattern: RegExp): Promise<RegExpExecArray> =>
      await new Promise((resolve) => {
        const look = (): void => {
          const found = pattern.exec(said.stdout);
          if (found === null) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
  };
}
