import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { npmProgram } from "../../scripts/runner/packages.mjs";
import { makeRelease, type Release } from "../../scripts/release/make-release.ts";

export type InstalledPackage = {
  /** The folder with the files of the release. */
  release: string;
  files: Release["files"];
  /** The folder of the app that installed the package. */
  folder: string;
  /** The file that `parlance` starts. */
  program: string;
  remove(): Promise<void>;
};

/** The commit that the package says it was built from. */
export const releasedCommit = "0123456789abcdef0123456789abcdef01234567";

/** Makes a release, and installs its package into an empty folder, which every user of the machine can read. */
export async function installPackage(): Promise<InstalledPackage> {
  const parent = await mkdtemp(join(tmpdir(), "package-"));
  await chmod(parent, 0o755);
  const [release, folder] = [join(parent, "release"), join(parent, "app")];
  const { archive, files } = await makeRelease(release, { commit: releasedCommit, notes: "Notes\n" });
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const line = [npmProgram(), "install", join(release, archive), ...flags];
  await promisify(execFile)(process.execPath, line, { cwd: folder });
  return {
    release,
    files,
    folder,
    program: join(folder, "node_modules/parlance-server/cli/package/package-program.mjs"),
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}
