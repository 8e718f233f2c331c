import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ShareRenderer } from "#contract/parts/share-page.ts";

/** The renderer of shared threads with its style sheet. */
export type LoadedRenderer = {
  renderer: ShareRenderer;
  styles: string;
};

/** Loads the renderer from its build, at the first use. `undefined` while there is no build. */
export function createRendererLoader(folder: string): () => Promise<LoadedRenderer | undefined> {
  let loaded: Promise<LoadedRenderer> | undefined;
  return async () => {
    try {
      return await (loaded ??= load(folder));
    } catch (error) {
      loaded = undefined;
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
}

async function load(folder: string): Promise<LoadedRenderer> {
  const assets = await readdir(join(folder, "assets"));
  const sheets = assets.filter((name) => name.endsWith(".css")).toSorted();
  const styles = await Promise.all(
    sheets.map(async (name) => await readFile(join(folder, "assets", name), "utf8")),
  );
  const { createRenderer } = (await import(pathToFileURL(join(folder, "render.js")).href)) as {
    createRenderer: () => Promise<ShareRenderer>;
  };
  return { renderer: await createRenderer(), styles: styles.join("") };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ERR_MODULE_NOT_FOUND";
}
