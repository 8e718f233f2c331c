import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** A server in a process of its own, which is killed and started again on one and the same port. */
export type ServerProcess = {
  url: string;
  /** Starts it and resolves when it listens. */
  start(): Promise<void>;
  /** Sends `signal` and resolves with how it ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends a signal that does not end it. */
  tell(signal: NodeJS.Signals): void;
  /** How often it ended without having been told to. */
  readonly deaths: number;
  /** The end of what it wrote to standard error. */
  words(): string;
};

const alive = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** `preload` is a module that is loaded before the server's own. */
export function serverProcess(
  settings: Record<string, string> & { PORT: string },
  preload?: string,
): ServerProcess {
  let child: ChildProcess | undefined;
  let isExpectedToEnd = true;
  let deaths = 0;
  let words = "";
  const hear = (text: string): void => void (words = (words + text).slice(-20_000));

  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    async start() {
      const { PATH, HOME, TMPDIR } = process.env;
      const line = preload === undefined ? [] : ["--import", preload];
      const started = spawn(process.execPath, [...line, "server/main.ts"], {
        cwd: root,
        env: { PATH, HOME, TMPDIR, NODE_NO_WARNINGS: "1", ...settings },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      isExpectedToEnd = false;
      alive.add(started);
      started.stderr.setEncoding("utf8").on("data", hear);
      started.once("exit", (code, signal) => {
        alive.delete(started);
        if (isExpectedToEnd) return;
        deaths += 1;
        hear(`\nended by itself with ${code ?? signal}\n`);
      });
      let said = "";
      const listening = Promise.withResolvers<void>();
      started.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("listening on")) listening.resolve();
      });
      started.once("exit", () => listening.reject(new Error(`The server did not start.\n${said}${words}`)));
      await listening.promise;
    },
    async end(signal) {
      const ending = child;
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null)
        return { code: null, signal: null };
      isExpectedToEnd = true;
      const ended = once(ending, "exit");
      ending.kill(signal);
      const [code, by] = (await ended) as [number | null, NodeJS.Signals | null];
      return { code, signal: by };
    },
    tell: (signal) => void child?.kill(signal),
    get deaths() {
      return deaths;
    },
    words: () => words,
  };
}
