export type Versions = Record<string, string>;

/** The releases after the pinned one, newest first. Leaves out pre-releases. */
export function newerVersions(published: string[], pinned: string): string[] {
  const { compare } = new Intl.Collator("en", { numeric: true });
  return published
    .filter((version) => /^[\d.]+$/.test(version) && compare(version, pinned) > 0)
    .toSorted((one, other) => compare(other, one));
}

/**
 * Chooses, package by package, the newest release that can be installed beside those chosen before. Packages without one
 * stay as they are and are left out.
 */
export function chooseNewest(
  names: string[],
  newerOf: (name: string) => string[],
  canInstall: (versions: Versions) => boolean,
): Versions {
  let chosen: Versions = {};
  for (const name of names) {
    const found = newerOf(name).find((version) => canInstall({ ...chosen, [name]: version }));
    if (found !== undefined) chosen = { ...chosen, [name]: found };
  }
  return chosen;
}

/** The `package.json` with these versions. */
export function withVersions(packageJson: string, versions: Versions): string {
  const parsed = JSON.parse(packageJson) as Record<"dependencies" | "devDependencies", Versions>;
  for (const [name, version] of Object.entries(versions)) {
    const field = parsed.dependencies[name] === undefined ? "devDependencies" : "dependencies";
    parsed[field][name] = version;
  }
  return JSON.stringify(parsed, null, 2);
}

/** The page, which names the tested versions. A test compares them with the installed ones. */
export function withNewVersions(page: string, versions: Versions): string {
  return Object.entries(versions).reduce(
    (changed, [name, version]) => changed.replaceAll(`\`${name}\` `, `\`${name}\` ${version}, `),
    page,
  );
}
