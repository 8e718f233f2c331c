import { stripTypeScriptTypes } from "node:module";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inRoot } from "../runner/files.mjs";

/** All other code of the package is imported or started from this file. */
export const program = "cli/package/package-program.mjs";

/** The names of the packages that the package's code imports. */
export async function importedPackages(): Promise<string[]> {
  const names = [...(await packageCode())].flatMap(([path, text]) => packagesIn(toJavaScript(text, path)));
  return [...new Set(names)].toSorted();
}

/** The files of the package's code, with their text. Paths are relative to the project's folder. */
export async function packageCode(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const open = [program];
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

export const toJavaScript = (text: string, path: string): string =>
  withoutTypes(text, path).replaceAll('.ts"', '.js"');

/** The packages of import declarations, of `import()`, and of what `createRequire` returns. */
function packagesIn(javaScript: string): string[] {
  const specifiers = javaScript.matchAll(
    /(?:(?<!")\b(?:from|import|import\()|createRequire\(import\.meta\.url\)(?:\.resolve)?\()\s*"(?![.#]|node:)((?:@[^"/\n]+\/)?[^"/\n]+)[^"\n]*"/g,
  );
  return [...specifiers].map(([, name]) => name!);
}
