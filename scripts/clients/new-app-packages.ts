import { relative, sep } from "node:path";
import type { Plugin } from "vite";
import { root } from "../runner/files.mjs";

/** The folder of the new app whose packages the tests of the clients use, instead of those of the lockfile. */
export const newAppFolder = process.env.PARLANCE_NEW_APP;

/** The files whose packages are replaced: tests of the clients, their apps, and `parlance-client`. Never the server's. */
const replaced = /^(tests\/(protocol|client)|e2e\/clients|client|dist\/app-[^/]+)\//;

/** Resolves packages from the new app if there is one and it has them. */
export function newAppPackages(folder: string | undefined = newAppFolder): Plugin[] {
  if (folder === undefined) return [];
  return [
    {
      name: "packages of a new app",
      enforce: "pre",
      async resolveId(id, importer, options) {
        if (importer === undefined || !/^(@[\w-]+\/)?[\w-]/.test(id) || id.includes(":")) return null;
        if (!replaced.test(relative(root, importer).split(sep).join("/"))) return null;
        return await this.resolve(id, `${folder}/package.json`, { ...options, skipSelf: true });
      },
    },
  ];
}
