import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inRoot } from "../runner/files.mjs";
import { npmProgram } from "../runner/packages.mjs";
import { noticesName, stagePackage } from "./stage.ts";

const run = promisify(execFile);

export type Release = {
  /** The package, as `npm pack` names it. */
  archive: string;
  /** The names of all files in the folder, without the folder `package`, which has the content of the package. */
  files: string[];
};

/**
 * Makes what a release consists of, in an empty folder: the package, the list of what it contains (SBOM, CycloneDX), notes,
 * the licenses of others' software, and checksums. Publishes nothing. `dist/` must be built.
 */
export async function makeRelease(
  folder: string,
  { commit, notes }: { commit: string; notes: string },
): Promise<Release> {
  const staged = join(folder, "package");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await stagePackage(staged, { commit });
  const npm = async (...args: string[]) => {
    const line = [npmProgram(), ...args, "--loglevel=error"];
    return (await run(process.execPath, line, { cwd: staged, maxBuffer: Infinity })).stdout;
  };
  const archive = (await npm("pack", "--pack-destination", folder)).trim();
  const contents = await npm("sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev");
  await writeFile(join(folder, archive.replace(/\.tgz$/, ".cdx.json")), contents);
  await writeFile(join(folder, "NOTES.md"), notes);
  await cp(join(staged, noticesName), join(folder, noticesName));
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).toSorted();
  const sums = await Promise.all(names.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`));
  await writeFile(join(folder, "SHA256SUMS"), sums.join(""));
  return { archive, files: [...names, "SHA256SUMS"] };
}

const sha256 = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");

/** The section of a version in the changelog, without its heading; undefined if there is none. */
export async function notesOf(version: string): Promise<string | undefined> {
  const changelog = await readFile(inRoot("CHANGELOG.md"), "utf8");
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return section === undefined ? undefined : `${section.slice(section.indexOf("\n")).trim()}\n`;
}
