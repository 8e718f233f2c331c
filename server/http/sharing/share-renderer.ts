import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SharePageRenderer } from "#contract/parts/share-page.ts";
import { withBasePath } from "../pages/built-pages.ts";

/** The renderer of the page around shared messages, with its style sheet. */
export type LoadedRenderer = {
  renderer: SharePageRenderer;
  styles: string;
};

/**
 * Loads the renderer from its build, at the first use. `undefined` while there is no build. `basePath`: below it the server
 * has the fonts of the styles.
 */
export function createRendererLoader(
  folderOf: () => Promise<string>,
  basePath: string,
): () => Promise<LoadedRenderer | undefined> {
  let loaded: Promise<LoadedRenderer> | undefined;
  return async () => {
    try {
      return await (loaded ??= folderOf().then(async (folder) => await load(folder, basePath)));
    } catch (error) {
      loaded = undefined;
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
}

async function load(folder: string, basePath: string): Promise<LoadedRenderer> {
  const assets = await readdir(join(folder, "assets"));
  const sheets = assets.filter((name) => name.endsWith(".css")).toSorted();
  const styles = await Promise.all(
    sheets.map(async (name) => await readFile(join(folder, "assets", name), "utf8")),
  );
  const { createPageRenderer } = (await import(pathToFileURL(join(folder, "page.js")).href)) as {
    createPageRenderer: () => Promise<SharePageRenderer>;
  };
  return { renderer: await createPageRenderer(), styles: withBasePath(styles.join(""), basePath) };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ERR_MODULE_NOT_FOUND";
}
