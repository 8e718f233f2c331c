import { stripTypeScriptTypes } from "node:module";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { inRoot } from "../runner/files.mjs";
import { npmProgram } from "../runner/packages.mjs";

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> };

/** On npm, `parlance` is another program. */
const packageName = "parlance-server";

/** All other code of the package is imported or started from this file. */
const program = "cli/package/package-program.mjs";
const modules = ["contract", "storage", "server", "cli"];
const built = ["dist/web", "dist/share"];
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
  const imported = new Set<string>();
  for (const [path, text] of await reachedFrom(program)) {
    const javaScript = toJavaScript(text, path);
    for (const name of packagesIn(javaScript)) imported.add(name);
    const target = join(folder, path.replace(/\.ts$/, ".js"));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, javaScript);
  }
  for (const path of built) await cp(inRoot(path), join(folder, path), { recursive: true });
  for (const path of texts) await cp(inRoot(path), join(folder, path));
  await writeFile(join(folder, "package.json"), await manifest([...imported].toSorted(), commit));
  await writeShrinkwrap(folder);
}

/** This file, and those that it imports or starts, with their text. Paths are relative to the project's folder. */
async function reachedFrom(entry: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    const text = await readFile(inRoot(path), "utf8");
    files.set(path, text);
    open.push(...filesNamedIn(withoutTypes(text, path), dirname(path)));
  }
  return files;
}

/** In this code, each string that ends in .ts is the path of a module, or of a program that a thread or process starts. */
function filesNamedIn(text: string, folder: string): string[] {
  const joined = text.replaceAll(
    /join\(import\.meta\.dirname, ([^)]*\.ts")\)/g,
    (_, parts: string) => `"./${parts.replaceAll(/", "/g, "/").replaceAll('"', "")}"`,
  );
  return [...joined.matchAll(/"([.#][^"\n]*\.ts)"/g)].map(([, path]) =>
    path!.startsWith("#") ? path!.slice(1) : join(folder, path!),
  );
}

const withoutTypes = (text: string, path: string): string =>
  path.endsWith(".ts") ? stripTypeScriptTypes(text) : text;

const toJavaScript = (text: string, path: string): string =>
  withoutTypes(text, path).replaceAll('.ts"', '.js"');

/** The packages of import declarations, of `import()`, and of what `createRequire` returns. */
function packagesIn(javaScript: string): string[] {
  const specifiers = javaScript.matchAll(
    /(?:\bfrom|\bimport|\bimport\(|createRequire\(import\.meta\.url\)(?:\.resolve)?\()\s*"(?![.#]|node:)((?:@[^"/\n]+\/)?[^"/\n]+)[^"\n]*"/g,
  );
  return [...specifiers].map(([, name]) => name!);
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
  const { version, description, license, type, engines } = own;
  return JSON.stringify(
    {
      name: packageName,
      version,
      description,
      license,
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
