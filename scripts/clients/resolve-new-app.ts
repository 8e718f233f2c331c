import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWatched, type Ranges } from "./new-app.ts";
import type { Npm } from "./npm.ts";

/** An installed version. `below` has the package in whose folder it is, if npm did not put it at the top. */
export type Installed = { name: string; version: string; below?: string };

/** A newer version that is not installed. */
export type Skipped = { name: string; version: string; reason: string };

export type NewApp = { installed: Installed[]; skipped: Skipped[] };

/** How many versions are tried before a package is left out. */
const triesMax = 5;

export type Lock = { packages: Record<string, { name?: string; version: string } & Requirements> };
type Requirements = { dependencies?: Ranges; peerDependencies?: Ranges };

/**
 * Writes the `package.json` and the lockfile of a new app with these packages into an empty folder, as npm resolves them
 * today. Of an addition that npm refuses, earlier versions are tried. Returns what would be installed, and each newer version
 * that would not, with the reason. Throws if the template cannot be installed at all, or if the registry is unreachable.
 */
export async function resolveNewApp(
  folder: string,
  template: Ranges,
  additions: Ranges[],
  npm: Npm,
): Promise<NewApp> {
  const refused: Skipped[] = [];
  let app = template;
  const problem = await resolves(folder, app, npm);
  if (problem !== undefined)
    throw new Error(`A new app cannot be installed today: ${problem} (${JSON.stringify(template)})`);
  for (const addition of additions) {
    const [name = ""] = Object.keys(addition);
    const { latest, versions } = await releasesOf(npm, folder, name);
    const earlier = newestFirst(versions.filter((version) => compare(version, latest) < 0));
    for (const version of [latest, ...earlier].slice(0, triesMax)) {
      const extended = { ...app, ...addition, ...(version === latest ? {} : { [name]: version }) };
      const reason = await resolves(folder, extended, npm);
      if (reason === undefined) {
        app = extended;
        break;
      }
      refused.push({ name, version, reason });
    }
  }
  // After a refusal, these files are those of the refused app.
  await resolves(folder, app, npm);
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as Lock;
  const installed = watchedIn(lock);
  const skipped = [...refused];
  for (const name of new Set(installed.map((each) => each.name))) {
    const { versions } = await releasesOf(npm, folder, name);
    const own = installed.filter((each) => each.name === name).map(({ version }) => version);
    const known = refused.filter((each) => each.name === name).map(({ version }) => version);
    const newer = versions.filter((version) => own.every((each) => compare(version, each) > 0));
    const reason = `excluded by ${requirersOf(name, app, lock)}`;
    for (const version of newestFirst(newer))
      if (!known.includes(version)) skipped.push({ name, version, reason });
  }
  return { installed, skipped };
}

/** Returns npm's reason if it does not find everything that these packages need. */
async function resolves(folder: string, dependencies: Ranges, npm: Npm): Promise<string | undefined> {
  const lockfile = join(folder, "package-lock.json");
  const before = existsSync(lockfile) ? readFileSync(lockfile) : undefined;
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  const { failure } = await npm(folder, ["install", "--package-lock-only"]);
  if (failure !== undefined && before !== undefined) writeFileSync(lockfile, before);
  return failure?.reason;
}

/** The watched packages of a lockfile, by their own names. */
export function watchedIn({ packages }: Lock): Installed[] {
  return Object.entries(packages).flatMap(([path, { name: ownName, version }]) => {
    const names = path
      .split("node_modules/")
      .slice(1)
      .map((name) => name.replace(/\/$/, ""));
    const [folder = "", below] = names.toReversed();
    const name = ownName ?? folder;
    return isWatched(name) ? [{ name, version, ...(below === undefined ? {} : { below }) }] : [];
  });
}

/** The ranges of those that require a package. */
function requirersOf(name: string, app: Ranges, { packages }: Lock): string {
  const requirers = Object.entries(packages).flatMap(([path, { dependencies, peerDependencies }]) => {
    const range = path === "" ? app[name] : (dependencies?.[name] ?? peerDependencies?.[name]);
    const requirer = path === "" ? "the new app" : path.slice(path.lastIndexOf("node_modules/") + 13);
    return range === undefined || range === "*" ? [] : [`${range} of ${requirer}`];
  });
  return requirers.join(", ");
}

/** The version with the tag `latest`, and all versions except pre-releases. */
async function releasesOf(
  npm: Npm,
  folder: string,
  name: string,
): Promise<{ latest: string; versions: string[] }> {
  const { output, failure } = await npm(folder, ["view", name, "dist-tags.latest", "versions"]);
  if (failure !== undefined) throw new Error(`npm could not list the versions of ${name}: ${failure.reason}`);
  const { "dist-tags.latest": latest, versions } = output as {
    "dist-tags.latest": string;
    versions: unknown;
  };
  // npm prints the only version of a package without a list.
  const releases = [versions].flat().map(String);
  return { latest, versions: releases.filter((version) => /^[\d.]+$/.test(version)) };
}

const { compare } = new Intl.Collator("en", { numeric: true });

export const newestFirst = (versions: string[]): string[] =>
  versions.toSorted((one, other) => compare(other, one));
