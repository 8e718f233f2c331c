import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { inRoot } from "../runner/files.mjs";
import { npmProgram } from "../runner/packages.mjs";
import { noticesFile } from "../notices/files.ts";
import { importedPackages, packageCode, program, toJavaScript } from "./package-code.ts";

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> };

/** On npm, `parlance` is another program. */
const packageName = "parlance-server";

const modules = ["contract", "storage", "server", "cli"];
const built = ["dist/web", "dist/share"];
/** Of all packages that are in it, or that are installed with it. */
export const noticesName = "THIRD-PARTY-NOTICES";
const texts = ["README.md", "LICENSE", "CHANGELOG.md"];

/**
 * Puts the package into an empty folder: JavaScript, because Node does not strip types inside node_modules, the built page,
 * and a package.json with the packages that this code imports, in the versions of the lockfile. `dist/` must be built.
 */
export async function stagePackage(
  folder: string,
  { commit }: { commit: string | undefined },
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, text] of await packageCode()) {
    const target = join(folder, path.replace(/\.ts$/, ".js"));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, toJavaScript(text, path));
  }
  for (const path of built) await cp(inRoot(path), join(folder, path), { recursive: true });
  await cp(inRoot("dist/web", noticesFile), join(folder, noticesName));
  for (const path of texts) await cp(inRoot(path), join(folder, path));
  await writeFile(join(folder, "package.json"), await manifest(await importedPackages(), commit));
  await writeShrinkwrap(folder);
}

async function manifest(imported: string[], commit: string | undefined): Promise<string> {
  const own = JSON.parse(await readFile(inRoot("package.json"), "utf8")) as Manifest &
    Record<string, unknown>;
  const dependencies: Record<string, string> = {};
  for (const name of imported) {
    const version = own.dependencies[name];
    if (version === undefined) throw new Error(`The server imports ${name}, which is not in "dependencies".`);
    dependencies[name] = version;
  }
  // Where the notes of releases are, which the health page of older versions links to.
  const { version, description, license, homepage, type, engines } = own;
  return JSON.stringify(
    {
      name: packageName,
      version,
      description,
      license,
      homepage,
      type,
      ...(commit === undefined ? {} : { gitHead: commit }),
      bin: { parlance: program },
      imports: Object.fromEntries(modules.map((folder) => [`#${folder}/*`, `./${folder}/*`])),
      dependencies,
      engines,
    },
    undefined,
    2,
  );
}

/** The versions that everybody who installs the package gets, also of what the packages themselves need. */
async function writeShrinkwrap(folder: string): Promise<void> {
  await cp(inRoot("package-lock.json"), join(folder, "package-lock.json"));
  await cp(inRoot(".npmrc"), join(folder, ".npmrc"));
  execFileSync(
    process.execPath,
    [
      npmProgram(),
      "install",
      "--package-lock-only",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      "--loglevel=error",
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
  );
  await rename(join(folder, "package-lock.json"), join(folder, "npm-shrinkwrap.json"));
  await rm(join(folder, ".npmrc"));
}
