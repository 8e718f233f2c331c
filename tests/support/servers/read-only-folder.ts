import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { canMountDisks } from "./small-disk.ts";

/** File permissions do not apply to root, so for root the folder is mounted read-only, which needs permission to mount. */
export const canMakeReadOnly = process.getuid?.() !== 0 || canMountDisks();

/** Makes `folder` read-only for files opened from now on. Returns a function that reverts it. */
export function makeReadOnly(folder: string): () => void {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o555);
    return () => chmodSync(folder, 0o700);
  }
  mount("--bind", folder, folder);
  mount("-o", "remount,bind,ro", folder);
  return () => void spawnSync("umount", ["--lazy", folder]);
}

function mount(...args: string[]): void {
  const done = spawnSync("mount", args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
}
