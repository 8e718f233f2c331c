import { readFileSync } from "node:fs";
import { inRoot } from "../runner/files.mjs";
import { licenseOf } from "./licenses.ts";

type Needs = Record<string, string>;
export type Lockfile = {
  packages: Record<
    string,
    {
      version?: string;
      license?: string;
      dev?: boolean;
      dependencies?: Needs;
      optionalDependencies?: Needs;
      peerDependencies?: Needs;
      peerDependenciesMeta?: Record<string, { optional?: boolean }>;
    }
  >;
};

export type Package = {
  name: string;
  version: string;
  /** An SPDX expression. */
  license: string;
  /** Where it is installed, unless it is for another platform: relative to the project's folder. */
  folder: string;
};

export const readLockfile = (): Lockfile =>
  JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")) as Lockfile;

/** These folders of packages, and those of all that they need, on every platform. */
export function foldersWithNeeds(lockfile: Lockfile, given: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  const open = [...given];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entry = lockfile.packages[folder];
    if (entry === undefined || folders.has(folder)) continue;
    folders.add(folder);
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
    );
    for (const name of [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...peers])
      open.push(resolve(lockfile, folder, name));
  }
  return folders;
}

/** The folder in which a package finds another, as Node looks for it. */
function resolve(lockfile: Lockfile, from: string, name: string): string {
  for (
    let folder = from;
    folder !== "";
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))
  ) {
    const candidate = `${folder}/node_modules/${name}`;
    if (lockfile.packages[candidate] !== undefined) return candidate;
  }
  return `node_modules/${name}`;
}

/** What is installed in these folders, sorted by name. Packages with the same name and version are listed once. */
export function packagesIn(lockfile: Lockfile, folders: Iterable<string>): Package[] {
  const packages = new Map<string, Package>();
  for (const folder of folders) {
    const entry = lockfile.packages[folder];
    if (entry?.version === undefined) throw new Error(`package-lock.json has no ${folder}.`);
    const name = folder.replace(/^.*node_modules\//, "");
    const license = licenseOf(name, entry.license);
    packages.set(`${name} ${entry.version}`, { name, version: entry.version, license, folder });
  }
  return [...packages].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
}
