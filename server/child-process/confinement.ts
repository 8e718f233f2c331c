import { realpathSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/**
 * Arguments of Node's permission model: the process may read the code in `folder` (from the project's root) and its
 * packages, and nothing else. It cannot write files or start processes, and has no network where Node can forbid it.
 */
export function confinement(folder: string): string[] {
  const readable = ["package.json", "node_modules", "server/package.json", "server/child-process", folder];
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${join(root, path)}`),
    `--allow-fs-read=${realpathOf(join(root, "node_modules"))}`,
    "--allow-addons",
    "--allow-worker",
    "--disable-warning=SecurityWarning",
    "--disable-warning=ExperimentalWarning",
  ];
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
