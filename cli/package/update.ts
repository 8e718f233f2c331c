import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { isNewerVersion, isVersion } from "#server/lib/compare-versions.ts";
import { installedAs, installedFolder } from "#server/lib/program.ts";
import { programVersion } from "#storage/lib/program-version.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { usualUnitFile } from "../service/service.ts";
import { findVersion } from "./npm-releases.ts";
import { install, isInstalled, removeOld, use } from "./versions.ts";

type Options = { check?: true; to?: string; yes?: true; serviceFile: string };

/** `update`: installs a version beside this one, and uses it from the next start on. */
export function update(program: Command, context: CommandContext): void {
  program
    .command("update")
    .description("install the newest version of Parlance, and restart its service")
    .option("--check", "only say whether there is a newer version")
    .option("--to <version>", "another version than the newest one, also an older one")
    .option("--yes", "do not ask")
    .option("--service-file <path>", "the unit that service install wrote", usualUnitFile)
    .action(async ({ check, to, yes, serviceFile }: Options) => {
      assertUpdatable();
      if (to !== undefined && !isVersion(to))
        throw new CommandError(`--to: ${to} is not a version. It looks like ${programVersion()}.`);
      const from = programVersion();
      const version = to !== undefined && isInstalled(to) ? to : await findVersion(to);
      const isNewer = isNewerVersion(version, from);
      if (check === true)
        return context.print({
          text: isNewer
            ? `Version ${version} is available. This is ${from}.`
            : `This is ${from}. There is no newer version.`,
          json: { version: from, available: version, is_newer: isNewer },
        });
      if (version === from || (to === undefined && !isNewer)) {
        // An update may have been interrupted after it was installed, or a newer one be here already.
        return context.print({
          text: `This is ${from}. There is nothing to update.`,
          json: { version: from, from },
        });
      }
      const service = serviceIn(serviceFile);
      context.log(plan(from, version, service));
      if (yes !== true && !(await context.confirm("Update?"))) throw new CommandError("Nothing was changed.");
      if (!isInstalled(version)) await install(version, (step) => context.log(`${step} …`));
      context.log("Switching to it …");
      await use(version);
      await removeOld(version);
      const isRestarted = service && restart();
      const next = isRestarted
        ? "The service was restarted. Its log: journalctl --unit parlance"
        : service
          ? "Restart the service: sudo systemctl restart parlance"
          : "Restart the server to use it.";
      context.print({
        text: `Version ${version} is installed. ${next}`,
        json: { version, from, restarted: isRestarted },
      });
    });
}

function assertUpdatable(): void {
  const instead = {
    package: undefined,
    npx: "npx keeps no installation, so there is nothing to update. The newest version: npx parlance-server@latest",
    image:
      "This is a container. Use an image of the new version, and create the container again with the same volume.",
    clone: "This is a clone. Update it with: git pull && npm start",
  }[installedAs];
  if (instead !== undefined) throw new CommandError(instead);
}

function plan(from: string, version: string, service: boolean): string {
  return [
    `Version ${version} will be installed beside ${from}, in ${installedFolder}, and started from then on.`,
    isNewerVersion(version, from)
      ? "When it starts, it copies the database and upgrades it, if that is needed. The way back: parlance rollback"
      : `It is older. If ${from} has upgraded the database, go back first: parlance rollback`,
    service ? "Then the service parlance is restarted." : "Then you restart the server.",
  ].join("\n");
}

/** Whether the unit is one of ours that starts this installation. */
function serviceIn(file: string): boolean {
  try {
    return readFileSync(file, "utf8").includes(installedFolder);
  } catch {
    return false;
  }
}

/** Only root may. A service that is stopped stays stopped. */
function restart(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("systemctl", ["try-restart", "parlance"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
