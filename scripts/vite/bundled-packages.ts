import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";
import { type BundledPackages, bundledPackagesFile } from "../notices/files.ts";

const packageFolder = /^.*?(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/?]+)\//;

/** Lists the packages of which a build contains modules, styles or fonts. `ofWorkers` is for the builds of its web workers. */
export function bundledPackages(): { ofPage: Plugin; ofWorkers: () => Plugin } {
  const folders = new Set<string>();
  const prebuilt = new Set<string>();
  let outFolder = "";
  const collect: Plugin = {
    name: "bundled-packages",
    apply: "build",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        const paths = file.type === "chunk" ? Object.keys(file.modules) : file.originalFileNames;
        const found = file.type === "asset" && file.fileName.endsWith(".js") ? prebuilt : folders;
        for (const path of paths) {
          const folder = packageFolder.exec(path)?.[1];
          if (folder !== undefined) found.add(folder);
        }
      }
    },
  };
  const ofPage: Plugin = {
    ...collect,
    configResolved({ root, build }) {
      outFolder = resolve(root, build.outDir);
    },
    // Workers are written last.
    async closeBundle() {
      const packages: BundledPackages = { folders: [...folders], prebuilt: [...prebuilt] };
      await writeFile(join(outFolder, bundledPackagesFile), JSON.stringify(packages));
    },
  };
  return { ofPage, ofWorkers: () => collect };
}
