import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a small file system at `folder`, as root. Returns a function that unmounts it. */
export function mountSmallDisk(folder: string, mebibytes: number): () => void {
  mkdirSync(folder, { recursive: true });
  const result = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], {
    encoding: "utf8",
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) throw new Error(result.stderr);
  // Lazily, because files may still be open.
  return () => void spawnSync("umount", ["--lazy", folder]);
}

/** Whether this process may mount file systems. */
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
