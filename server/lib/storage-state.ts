import {
  describeProblem,
  type OnStorageChange,
  type StorageProblem,
} from "#storage/lib/storage-path-check.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";
import { AppError } from "./errors.ts";
import type { Logger } from "./logger.ts";

type Part = "database" | "files";

/** For each part, why it refuses writes at present; `undefined` if it accepts them. */
export type StorageState = Record<Part, () => StorageProblem | undefined>;

const descriptions: Record<StorageProblem["problem"], string> = {
  missing: "is missing",
  replaced: "was replaced",
  "read-only": "is read-only",
};

/** Logs when a part of the storage starts to refuse writes, and when it accepts them again. */
export function logStorageChanges(logger: Logger, part: Part): OnStorageChange {
  return (found) => {
    if (found === undefined) logger.info({ part }, "writes are accepted again");
    else logger.error({ part, problem: found.problem }, `writes are refused: ${describeProblem(found)}`);
  };
}

/** Throws `storage-unavailable` if a part refuses writes. The details name the parts, without paths. */
export function assertStorageWritable(state: StorageState): void {
  const found = (["database", "files"] as const).flatMap((part) => {
    const problem = state[part]();
    return problem === undefined ? [] : [{ part, problem }];
  });
  const [first] = found;
  if (first === undefined) return;
  throw new AppError("storage-unavailable", {
    details: found.map(({ part, problem }) => ({ path: part, message: descriptions[problem.problem] })),
    retryAfterSeconds: 5,
    cause: new StorageUnavailableError(first.problem),
  });
}
