import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "#server/app/start.ts";
import type { CliHost } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { runCli } from "../program.ts";
import { terminal } from "../terminal.ts";
import { update } from "./update.ts";

/**
 * The program of the package: `parlance` starts the server, `parlance <command>` runs a command. Settings are in the
 * environment and in `.env` in the data folder. The server goes on when this has returned.
 */
export async function runParlance(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { "data-dir": { type: "string" } },
    strict: false,
    allowPositionals: true,
  });
  const given = values["data-dir"] ?? process.env["DATA_DIR"];
  const host: CliHost = {
    get folder() {
      return dataFolder(typeof given === "string" && given !== "" ? given : undefined);
    },
    get environment() {
      return { ...process.env, DATA_DIR: host.folder };
    },
    addCommands(program, context) {
      program
        .option(
          "--data-dir <folder>",
          "the folder for the database, the files, the secret, and settings in .env",
        )
        .command("start", { isDefault: true })
        .description("serve Parlance; so does parlance without a command")
        .option("--port <port>", "the port, instead of PORT")
        .option("--host <address>", "the address to listen on, instead of HOST")
        .action(async ({ port: PORT, host: HOST }: { port?: string; host?: string }) => {
          const chosen = { ...(PORT === undefined ? {} : { PORT }), ...(HOST === undefined ? {} : { HOST }) };
          await serve({ folder: host.folder, environment: { ...host.environment, ...chosen } });
        });
      update(program, context);
    },
    ...terminal(),
  };
  process.exitCode = await runCli(args, host);
}

/** The folder that was given, or the usual one of this system. Throws `CommandError` if data in `./data` may be meant. */
function dataFolder(given: string | undefined): string {
  if (given !== undefined) return resolve(given);
  const usual = usualFolder();
  const here = resolve("data");
  const has = (folder: string) => existsSync(join(folder, "parlance.db"));
  if (has(here) && !has(usual))
    throw new CommandError(
      `There is a database in ${here}. Add --data-dir ./data to use it, or --data-dir ${JSON.stringify(usual)} to begin with an empty one.`,
    );
  return usual;
}

/** Where programs of this system keep the data of a person. */
export function usualFolder(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): string {
  const home = homedir();
  if (platform === "win32")
    return join(environment["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "Parlance");
  if (platform === "darwin") return join(home, "Library", "Application Support", "Parlance");
  return join(environment["XDG_DATA_HOME"] || join(home, ".local", "share"), "parlance");
}
