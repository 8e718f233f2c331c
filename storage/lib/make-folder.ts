import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder that only its owner may read, with its missing parents. Returns the first folder that it created, if
 * any. Node's own `recursive` never ends where the system lets nobody create folders, such as in /proc.
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    const parent = dirname(path);
    const isParentMissing = (error as NodeJS.ErrnoException).code === "ENOENT" && !(await isFolder(parent));
    // A drive of Windows that is not there is its own parent.
    if (!isParentMissing || parent === path) throw error;
    const first = await makeFolder(parent);
    const made = await makeFolder(path);
    return first ?? made;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
