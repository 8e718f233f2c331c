import { spawn } from "node:child_process";

/**
 * Runs Node with `line`, anew when a file of it changes, until this process is told to stop. A terminal's Ctrl-C goes to
 * everyone in its group, and Node's watcher passes on what it hears: a server would hear it twice, and takes a second
 * signal for impatience. So it has a group of its own, and hears one SIGTERM from us.
 */
export function startWatched(line: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): void {
  const watcher = spawn(process.execPath, ["--watch", "--watch-preserve-output", ...line], {
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
