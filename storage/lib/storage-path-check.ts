import { accessSync, constants, statSync, type BigIntStats } from "node:fs";

/** Why nothing can be stored now: what is wrong with `path`. */
export type StorageProblem = { path: string; problem: "missing" | "replaced" | "read-only" };

/** Called when the storage stops taking writes (again, when the reason changes), and with nothing when it resumes. */
export type OnStorageChange = (problem: StorageProblem | undefined) => void;

/**
 * Remembers which files or folders `paths` lead to now, by device and inode. Returns a function that says whether they
 * still lead there and `folder` takes writes. What is written to a file that is open and no longer at its path would be
 * lost with the process.
 *
 * The caller keeps the files open: otherwise the system could give their inodes to others. A check is synchronous and
 * takes some 10 to 30 µs.
 */
export function createStoragePathCheck({
  paths,
  folder,
  onChange,
}: {
  paths: readonly string[];
  folder: string;
  onChange: OnStorageChange | undefined;
}): () => StorageProblem | undefined {
  const opened = paths.map((path) => {
    const { dev, ino } = statSync(path, { bigint: true });
    return { path, dev, ino };
  });
  let last: StorageProblem | undefined;

  function find(): StorageProblem | undefined {
    for (const { path, dev, ino } of opened) {
      const found = statNow(path);
      if (found === undefined) return { path, problem: "missing" };
      if (found.dev !== dev || found.ino !== ino) return { path, problem: "replaced" };
    }
    return takesWrites(folder) ? undefined : { path: folder, problem: "read-only" };
  }

  return () => {
    const now = find();
    if (now?.path !== last?.path || now?.problem !== last?.problem) onChange?.(now);
    last = now;
    return now;
  };
}

/** For the operator: names the path and the remedy. */
export function describeProblem({ path, problem }: StorageProblem): string {
  switch (problem) {
    case "missing":
      return `${path} is missing, or cannot be reached, while the server has it open. Put it back, or stop the server and restore a backup.`;
    case "replaced":
      return `${path} was replaced while the server has the original open. Put the original back, or restart the server to use what is there now.`;
    case "read-only":
      return `${path} cannot be written to. Make it writable again.`;
  }
}

/** `undefined` where nothing can be found, whatever the reason. */
function statNow(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function takesWrites(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
