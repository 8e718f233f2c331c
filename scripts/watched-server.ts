import { spawn } from "node:child_process";

/**
 * Runs Node with `args` and restarts it when one of its files changes, until this process stops. A terminal sends Ctrl-C to
 * its whole process group, and Node's watcher forwards signals, so the server would get two and end at once on the second.
 * The watcher therefore gets its own process group and this process sends it one SIGTERM.
 */
export function startWatched(args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): void {
  const watcher = spawn(process.execPath, ["--watch", "--watch-preserve-output", ...args], {
    ...options,
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    watcher.kill("SIGTERM");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  process.once("exit", stop);
  watcher.once("exit", (code) => process.exit(code ?? 1));
}
