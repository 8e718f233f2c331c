import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { bundleArgs } from "../../scripts/test/server-bundle.ts";

const root = join(import.meta.dirname, "..", "..");

/** A server in a separate process that can be killed and restarted on the same port. */
export type ServerProcess = {
  url: string;
  /** Resolves when the server listens. */
  start(): Promise<void>;
  /** Sends `signal` and resolves when the process has exited. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends a signal that does not end the process. */
  signal(signal: NodeJS.Signals): void;
  /** How often the process exited without a call of `end`. */
  readonly crashes: number;
  /** The end of its standard error. */
  stderr(): string;
};

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** `preload` is a module that is loaded before the server's own. */
export function serverProcess(
  settings: Record<string, string> & { PORT: string },
  preload?: string,
): ServerProcess {
  let child: ChildProcess | undefined;
  let isExpectedToEnd = true;
  let crashes = 0;
  let stderr = "";
  const appendStderr = (text: string): void => void (stderr = (stderr + text).slice(-20_000));

  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    async start() {
      const { PATH, HOME, TMPDIR } = process.env;
      const importArgs = preload === undefined ? [] : ["--import", preload];
      const args = [...(await bundleArgs()), ...importArgs, "server/main.mjs"];
      const started = spawn(process.execPath, args, {
        cwd: root,
        env: { PATH, HOME, TMPDIR, NODE_NO_WARNINGS: "1", ...settings },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      isExpectedToEnd = false;
      children.add(started);
      started.stderr.setEncoding("utf8").on("data", appendStderr);
      started.once("exit", (code, signal) => {
        children.delete(started);
        if (isExpectedToEnd) return;
        crashes += 1;
        appendStderr(`\nexited with ${code ?? signal}\n`);
      });
      let stdout = "";
      const listening = Promise.withResolvers<void>();
      started.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        if (stdout.includes("listening on")) listening.resolve();
      });
      started.once("exit", () =>
        listening.reject(new Error(`The server did not start.\n${stdout}${stderr}`)),
      );
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
    signal: (signal) => void child?.kill(signal),
    get crashes() {
      return crashes;
    },
    stderr: () => stderr,
  };
}
