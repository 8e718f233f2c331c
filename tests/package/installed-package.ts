import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { npmProgram } from "../../scripts/runner/packages.mjs";
import { makeRelease, type Release } from "../../scripts/release/make-release.ts";

export type InstalledPackage = {
  /** The folder with the files of the release. */
  release: string;
  files: Release["files"];
  /** The prefix that npm installed it below. */
  prefix: string;
  /** The file that `parlance` starts. */
  program: string;
  /** The folder of the package, with the packages that it needs. */
  folder: string;
  remove(): Promise<void>;
};

/** The commit that the package says it was built from. */
export const releasedCommit = "0123456789abcdef0123456789abcdef01234567";

/** Makes a release, and installs its package as `npm install --global` does, below a prefix that every user can read. */
export async function installPackage(): Promise<InstalledPackage> {
  const parent = await mkdtemp(join(tmpdir(), "package-"));
  await chmod(parent, 0o755);
  const [release, prefix] = [join(parent, "release"), join(parent, "usr")];
  const { archive, files } = await makeRelease(release, { commit: releasedCommit, notes: "Notes\n" });
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const line = [npmProgram(), "install", "--global", "--prefix", prefix, join(release, archive), ...flags];
  await promisify(execFile)(process.execPath, line);
  const folder = join(prefix, "lib/node_modules/parlance-server");
  return {
    release,
    files,
    prefix,
    program: join(folder, "cli/package/package-program.mjs"),
    folder,
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}
