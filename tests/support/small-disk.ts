import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes `folder` a disk of its own with so much room. Answers how it is taken away again. Wants root. */
export function mountSmallDisk(folder: string, mebibytes: number): () => void {
  mkdirSync(folder, { recursive: true });
  const done = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], {
    encoding: "utf8",
  });
  if (done.error !== undefined) throw done.error;
  if (done.status !== 0) throw new Error(done.stderr);
  // Also where something is still open on it.
  return () => void spawnSync("umount", ["--lazy", folder]);
}

/** Whether this machine lets us. */
export function canMountDisks(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "parlance-disk-"));
  try {
    mountSmallDisk(folder, 1)();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
