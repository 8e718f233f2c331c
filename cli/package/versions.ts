import { execFile } from "node:child_process";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isVersion } from "#server/lib/compare-versions.ts";
import { installedFolder, programFolder } from "#server/lib/program.ts";
import { CommandError } from "../errors.ts";
import { installInto, packageName } from "./npm-releases.ts";

/**
 * Versions below the one that npm installed. `package-program.mjs` there starts the one that the file `current` names, so
 * that one rename switches: whenever a process is killed, the old or the new version is complete.
 */
const folder = join(installedFolder, "versions");
const current = join(folder, "current");
const programOf = (version: string): string =>
  join(folder, version, "node_modules", packageName, "cli/package/package-program.mjs");

/** The version that npm installed. */
function installedVersion(): string {
  const { version } = JSON.parse(readFileSync(join(installedFolder, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

/** Whether the version is on this machine already. */
export const isInstalled = (version: string): boolean =>
  version === installedVersion() || existsSync(programOf(version));

/** Puts a version beside the others, and tries whether it starts. Throws `CommandError`. */
export async function install(version: string, onStep: (step: string) => void): Promise<void> {
  await mkdir(folder, { recursive: true }).catch(explainDenied);
  const unfinished = await mkdtemp(join(folder, ".unfinished-"));
  try {
    // The server runs as another user.
    await chmod(unfinished, 0o755);
    // Without it, npm would look for a package.json further up.
    await writeFile(join(unfinished, "package.json"), "{}");
    onStep("Downloading it");
    await installInto(unfinished, version);
    onStep("Trying it");
    await tryOut(join(unfinished, "node_modules", packageName), version);
    await rm(join(folder, version), { recursive: true, force: true });
    await rename(unfinished, join(folder, version));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function tryOut(program: string, version: string): Promise<void> {
  const args = [join(program, "cli/package/package-program.mjs"), "--version"];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stderr?: string }) => {
    throw new CommandError(
      `Version ${version} does not start here. Nothing was changed.\n${error.stderr ?? ""}`.trim(),
      {
        cause: error,
      },
    );
  });
  if (stdout.trim().split(" ")[0] !== version)
    throw new CommandError(
      `What npm installed is not version ${version}, but ${stdout.trim()}. Nothing was changed.`,
    );
}

/** Uses the version from the next start on. */
export async function use(version: string): Promise<void> {
  if (version === installedVersion()) return await rm(current, { force: true });
  const next = `${current}.next`;
  const file = openSync(next, "w");
  writeSync(file, `${version}\n`);
  fsyncSync(file);
  closeSync(file);
  await rename(next, current);
}

/** Deletes what is neither used nor what this process, or a server that has not restarted yet, was started from. */
export async function removeOld(used: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (
      (isVersion(name) && name !== used && !programFolder.startsWith(path)) ||
      name.startsWith(".unfinished-")
    )
      await rm(path, { recursive: true, force: true });
  }
}

function explainDenied(error: NodeJS.ErrnoException): never {
  if (error.code !== "EACCES" && error.code !== "EROFS" && error.code !== "EPERM") throw error;
  throw new CommandError(
    `You may not write ${installedFolder}. Update as the user who installed Parlance, such as with sudo.`,
    { cause: error },
  );
}
