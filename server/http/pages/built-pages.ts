import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Paths in attributes and lists of a page, and in its styles. The build writes them as for the root of a host. */
const ownPath = /(?<=["'(])\/(?=(?:assets\/|favicon|manifest|openapi\.json))/g;

/** A page or style sheet of the build whose files are below this path. */
export function withBasePath(text: string, basePath: string): string {
  return basePath === "" ? text : text.replaceAll(ownPath, `${basePath}/`);
}

/** A page of the build; `undefined` if there is no build. */
export async function readBuiltPage(
  folder: string,
  name: string,
  basePath: string,
): Promise<string | undefined> {
  try {
    return withBasePath(await readFile(join(folder, name), "utf8"), basePath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
