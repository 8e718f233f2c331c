import { access, constants, mkdir } from "node:fs/promises";
import type { Config } from "./settings.ts";

/** Whether the server keeps anything in the data folder with these settings. */
export function needsDataDir(config: Pick<Config, "secret" | "databaseUrl" | "files">): boolean {
  return config.secret === undefined || config.databaseUrl === undefined || config.files.s3 === undefined;
}

/** The folder for the database and the secret cannot be used. */
export class DataDirError extends Error {
  override readonly name = "DataDirError";
}

/** Creates the folder if it is missing. Throws `DataDirError` if this user cannot read and write there. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DataDirError(
      `DATA_DIR ${dataDir} cannot be used (${code}). Make it a folder that this user can write to, or set DATA_DIR to another folder.`,
      { cause },
    );
  }
}
