import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CommandError } from "../errors.ts";
import { npmProgram } from "./npm.ts";

/** As npm knows it. */
export const packageName = "parlance-server";

/** Runs npm, with this Node and the person's own settings, such as the registry, and returns what it prints. */
async function npm(...args: string[]): Promise<string> {
  const program = npmProgram();
  if (program === undefined) throw new CommandError("npm is missing. It comes with Node: https://nodejs.org");
  try {
    const line = [program, ...args, "--no-update-notifier", "--loglevel=error"];
    return (await promisify(execFile)(process.execPath, line, { maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new CommandError(`npm ${args[0]!} failed. Nothing was changed.\n${stderr.trim()}`, {
      cause: error,
    });
  }
}

/** The newest version, or the one that was asked for. Throws `CommandError` if there is none. */
export async function findVersion(asked: string | undefined): Promise<string> {
  const answer = await npm("view", `${packageName}@${asked ?? "latest"}`, "version", "--json");
  const found: unknown = answer.trim() === "" ? undefined : JSON.parse(answer);
  if (typeof found !== "string")
    throw new CommandError(`There is no version ${asked ?? ""} of ${packageName} in npm's registry.`);
  return found;
}

/** Installs a version, with the packages that it needs, into an empty folder. */
export async function installInto(folder: string, version: string): Promise<void> {
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev"];
  await npm("install", `${packageName}@${version}`, "--prefix", folder, ...quiet);
}
