import { readFileSync } from "node:fs";
import { inRoot, root } from "../runner/files.mjs";
import { runNpm } from "../runner/packages.mjs";
import { failedStage, passedStage, type Outcome } from "./outcome.ts";

type Package = {
  resolved?: string;
  integrity?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
};
export type Lockfile = { packages: Record<string, Package> };

// Packages with a separate binary package for each platform.
const WITH_BINARIES = [
  "rolldown",
  "lightningcss",
  "typescript",
  "oxlint",
  "oxlint-tsgolint",
  "oxfmt",
  "oxc-parser",
  "sharp",
];
const PLATFORMS = [/linux-x64/, /linux-arm64/, /darwin-arm64/, /darwin-x64/, /win32-x64/];

/**
 * A lockfile written on one machine can lack the binaries of other platforms, so that those cannot install from it. It can
 * also contain the URL of the registry that it was made with.
 */
export async function checkLockfiles(): Promise<Outcome> {
  const complaints = [
    ...complaintsAbout("package-lock.json", read("package-lock.json")),
    ...complaintsAbout("tools/node/package-lock.json", read("tools/node/package-lock.json")),
    ...missingPlatforms(read("package-lock.json")),
  ];
  try {
    // --offline: this only compares the lockfile with package.json.
    await runNpm(process.execPath, ["ci", "--dry-run", "--offline"], root);
  } catch (error) {
    complaints.push(`npm ci --dry-run failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return complaints.length === 0 ? passedStage() : failedStage(...complaints);
}

function read(name: string): Lockfile {
  return JSON.parse(readFileSync(inRoot(name), "utf8")) as Lockfile;
}

/** Describes what is missing in a lockfile or must not be in it. */
export function complaintsAbout(name: string, { packages }: Lockfile): string[] {
  const installed = new Set(Object.keys(packages).map(nameOf));
  return Object.entries(packages).flatMap(([path, entry]) => [
    ...(entry.resolved ? [`${name}: ${path} names a host, ${entry.resolved}.`] : []),
    ...(path && !entry.integrity && !entry.link ? [`${name}: ${path} has no integrity.`] : []),
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((dependency) => !installed.has(dependency))
      .map((dependency) => `${name}: ${dependency}, which ${path || "this package"} may need, is missing.`),
  ]);
}

/** Platforms that a package has no binary for. */
export function missingPlatforms({ packages }: Lockfile): string[] {
  return WITH_BINARIES.flatMap((name) => {
    const binaries = Object.keys(packages[`node_modules/${name}`]?.optionalDependencies ?? {});
    return PLATFORMS.filter((platform) => !binaries.some((binary) => platform.test(binary))).map(
      (platform) => `package-lock.json: ${name} has no binary for ${platform.source}.`,
    );
  });
}

/** "node_modules/a/node_modules/@b/c" is the package @b/c. */
function nameOf(path: string): string {
  return path.split("node_modules/").at(-1) ?? path;
}
