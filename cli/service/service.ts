import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { commandLine, installedAs, installedFolder, isPackage, programFolder } from "#server/lib/program.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { systemdUnit, type Service } from "./systemd-unit.ts";

type Options = { user?: string; dataDir?: string; file: string };

const usualUser = "parlance";
const usualDataDir = "/var/lib/parlance";
/** Where the unit is. */
export const usualUnitFile = "/etc/systemd/system/parlance.service";

/** `service print`: prints the unit. */
export function servicePrint(group: Command, context: CommandContext): void {
  withUser(group.command("print"))
    .description("print the unit of systemd, confined to its data")
    .action((_: unknown, command: Command) => {
      const unit = systemdUnit(serviceOf(command.optsWithGlobals<Options>(), context));
      context.print({ text: unit.trimEnd(), json: { unit } });
    });
}

/** `service install`: writes the unit, and says how it is started. */
export function serviceInstall(group: Command, context: CommandContext): void {
  withUser(group.command("install"))
    .description("write the unit of systemd; later versions of the program write it again")
    .option("--file <path>", "where to write it", usualUnitFile)
    .action((_: unknown, command: Command) => {
      const { file, ...options } = command.optsWithGlobals<Options>();
      const service = serviceOf(options, context);
      if (installedAs === "npx")
        throw new CommandError(
          "npx keeps Parlance only for a while. Install it first: npm install --global parlance-server",
        );
      if (!existsUser(service.user))
        throw new CommandError(
          `There is no user ${service.user}. Create it (useradd --system --home-dir ${service.dataDir} ${service.user}), or name another one with --user.`,
        );
      write(file, systemdUnit(service));
      const next = [
        `Written to ${file}. To start it now and with the machine:`,
        "  systemctl daemon-reload && systemctl enable --now parlance",
        "Its log has the owner's link:",
        "  journalctl --unit parlance",
      ];
      context.print({ text: next.join("\n"), json: { file } });
    });
}

function withUser(command: Command): Command {
  const usual = isPackage ? usualUser : "the owner of this folder";
  return command.option("--user <name>", `the user who runs the server; ${usual} by default`);
}

function serviceOf({ user, dataDir }: Pick<Options, "user" | "dataDir">, context: CommandContext): Service {
  const service: Service = isPackage
    ? {
        user: user ?? usualUser,
        command: [process.execPath, `${installedFolder}cli/package/package-program.mjs`],
        dataDir: dataDir === undefined ? usualDataDir : resolve(dataDir),
        clone: undefined,
      }
    : {
        user: user ?? ownerOf(programFolder),
        command: [process.execPath, `${programFolder}scripts/run.mjs`, "start"],
        dataDir: context.config().dataDir,
        clone: programFolder.replace(/\/$/, ""),
      };
  if (service.user === "root")
    throw new CommandError("The server should not run as root. Name another user with --user.");
  return service;
}

function ownerOf(folder: string): string {
  const { uid } = statSync(folder);
  try {
    return execFileSync("id", ["--user", "--name", String(uid)], { encoding: "utf8" }).trim();
  } catch {
    return String(uid);
  }
}

function existsUser(name: string): boolean {
  try {
    execFileSync("id", ["--user", name], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function write(file: string, unit: string): void {
  try {
    writeFileSync(file, unit);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new CommandError(`The folder of ${file} does not exist. Has this machine systemd?`);
    if (code !== "EACCES" && code !== "EROFS") throw error;
    throw new CommandError(
      `You may not write ${file}. Use sudo, or write what this prints: ${commandLine} service print`,
    );
  }
}
