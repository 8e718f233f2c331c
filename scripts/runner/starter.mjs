import { readFileSync } from "node:fs";

// 250 ms: soon enough that a server is seldom found running after its `npm start` has ended.
const POLL_MS = 250;

/**
 * Calls back once when the npm that started us is gone. npm starts us through a shell, and neither passes
 * on the signal that ended npm; an ended npm is only seen by looking. Without npm nobody is watched, so
 * that `nohup node scripts/run.mjs start &` outlives its terminal.
 *
 * @param {() => void} callback
 */
export function whenStarterIsGone(callback) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const npmOfShell = parentOfShell(parent);
  const timer = setInterval(() => {
    // The shell itself outlives an npm that was killed outright: it goes on waiting for us.
    if (process.ppid === parent && parentOfShell(parent) === npmOfShell) return;
    clearInterval(timer);
    callback();
  }, POLL_MS);
  timer.unref();
}

/**
 * The parent of a process that is a shell. Undefined where there is no /proc to tell: there the shell of
 * npm becomes its command, and npm is our parent itself.
 *
 * @param {number} pid
 */
function parentOfShell(pid) {
  try {
    // "4851 (sh) S 4839 ...": the name stands in brackets and may hold spaces.
    const [, name = "", parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return /^(sh|dash|ash|bash|busybox|zsh)$/.test(name) ? Number(parent) : undefined;
  } catch {
    return undefined;
  }
}
