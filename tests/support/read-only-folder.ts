import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { canMountDisks } from "./small-disk.ts";

/** No permission denies root anything: for root the folder is mounted over itself, which wants the right to mount. */
export const canMakeReadOnly = process.getuid?.() !== 0 || canMountDisks();

/** Makes `folder` take no writes by its path. What is open in it stays open. Answers how that is undone. */
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
