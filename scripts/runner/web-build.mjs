import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { digestOf, inRoot, isStamped, root, writeStamp } from "./files.mjs";
import { runQuietly } from "./packages.mjs";

const stamp = "dist/web.stamp";

/** Vite's options for each folder in dist: the web app, and the renderer of shared threads. */
const folders = { web: [], share: ["--config", "vite.share.config.ts"] };

/** Whether dist/web and dist/share were built from the present sources. */
export const isWebBuilt = () =>
  Object.keys(folders).every((name) => existsSync(inRoot("dist", name))) && isStamped(stamp, sourceDigest());

/**
 * Builds both into a new folder and renames the results, so that a running server never serves half a build.
 *
 * @param {string} nodeBinary
 */
export async function buildWeb(nodeBinary) {
  // Taken before the build: a file that changes during the build makes the next start build again.
  const digest = sourceDigest();
  const fresh = inRoot("dist", `new.${process.pid}`);
  try {
    const vite = inRoot("node_modules", "vite", "bin", "vite.js");
    for (const [name, options] of Object.entries(folders))
      await runQuietly(nodeBinary, [vite, "build", ...options, "--outDir", join(fresh, name)], root);
    await runQuietly(nodeBinary, [inRoot("scripts/notices/main.ts"), fresh], root);
    rmSync(inRoot(stamp), { force: true });
    for (const name of Object.keys(folders)) {
      rmSync(inRoot("dist", name), { recursive: true, force: true });
      renameSync(join(fresh, name), inRoot("dist", name));
    }
    writeStamp(stamp, digest);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const sourceDigest = () =>
  digestOf([
    "web",
    "contract",
    "scripts/notices",
    "scripts/vite",
    "vite.config.ts",
    "vite.share.config.ts",
    "tsconfig.base.json",
    "tsconfig.web.json",
    "package-lock.json",
  ]);
