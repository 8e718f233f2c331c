import { access, constants, mkdtemp, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "#storage/lib/make-folder.ts";
import type { Config } from "./settings.ts";

/** Whether the server keeps anything in the data folder with these settings. */
export function needsDataDir(config: Pick<Config, "secret" | "databaseUrl" | "files">): boolean {
  return config.secret === undefined || config.databaseUrl === undefined || config.files.s3 === undefined;
}

/** The folder for the database and the secret cannot be used. */
export class DataDirError extends Error {
  override readonly name = "DataDirError";
}

const fileProblems: Record<string, string> = {
  EACCES: "Let this user read and write it",
  EPERM: "Let this user read and write it",
  EROFS: "Make its disk writable",
  EISDIR: "It must be a file, not a folder: move it away",
  ENOTDIR: "It must be a folder: move the file away",
  ENOSPC: "Make space on its disk",
};

/** The message for the operator if a file of the data folder cannot be used; `undefined` for other errors. */
export function fileErrorMessage(error: unknown): string | undefined {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  const remedy = fileProblems[code];
  if (remedy === undefined) return undefined;
  const what = path ?? "A file in DATA_DIR";
  return `${what} cannot be used (${code}). ${remedy}, or set DATA_DIR to another folder.`;
}

/** Creates the folder if it is missing. Throws `DataDirError` if this user cannot make files there. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    await tryToMakeFolder(dataDir);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DataDirError(
      `DATA_DIR ${dataDir} cannot be used (${code}). Make it a folder that this user can write to, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}

/** Some folders, such as /proc, are said to be writable and are not. A server with a full disk still reads. */
async function tryToMakeFolder(dataDir: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(dataDir, ".try-")));
  } catch (error) {
    if (!["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
