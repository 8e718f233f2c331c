import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** @typedef {{ parent: number, start: string, command: string }} ProcessInfo `start` tells two processes with one id apart */

/** Linux says at no cost which processes there are. Elsewhere each look starts a program. */
const everyMs = process.platform === "linux" ? 250 : 5_000;

/**
 * Calls `ended` once when npm has ended, if npm started this process: npm starts a script through a shell, and neither of
 * them forwards the signal that ended it, which may be SIGKILL. Without npm nothing is watched, so that
 * `nohup node scripts/run.mjs start &` outlives its terminal.
 *
 * @param {() => void} ended
 * @returns {() => void} stops watching
 */
export function watchNpm(ended) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const shell = process.ppid;
  const npm = parentOfShell(shell);
  const watch = setInterval(() => {
    if (process.ppid === shell && (!npm || processInfo(npm.pid)?.start === npm.start)) return;
    clearInterval(watch);
    ended();
  }, everyMs);
  watch.unref();
  return () => clearInterval(watch);
}

/**
 * npm, if this process is the shell that it started. Undefined if it is npm itself, because some shells replace themselves
 * by the last command; and on Windows.
 *
 * @param {number} shell
 */
function parentOfShell(shell) {
  const info = processInfo(shell);
  if (!info || !/^\S*sh -c /.test(info.command)) return undefined;
  const start = processInfo(info.parent)?.start;
  return start === undefined ? undefined : { pid: info.parent, start };
}

/**
 * @param {number} pid
 * @returns {ProcessInfo | undefined} undefined if there is no such process, or if the system does not say
 */
export function processInfo(pid) {
  if (process.platform === "win32") return undefined;
  return process.platform === "linux" ? fromProc(pid) : fromPs(pid);
}

/** @param {number} pid */
function fromProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses, which may contain any character.
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return { parent: Number(parent), start: String(rest[17]), command };
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
export function fromPs(pid) {
  // Not in local time: a laptop may change its time zone.
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  const ps = ["-o", "ppid=,lstart=,command=", "-p", String(pid)];
  const { stdout } = spawnSync("ps", ps, { encoding: "utf8", env });
  // Such as "  817 Sun Nov 29 09:12:01 2026 sh -c node scripts/run.mjs start".
  const found = /^\s*(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/m.exec(stdout ?? "");
  return found ? { parent: Number(found[1]), start: String(found[2]), command: String(found[3]) } : undefined;
}
