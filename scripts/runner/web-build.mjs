import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { digestOf, readStamp, writeStamp } from "./digest.mjs";
import { inRoot, root } from "./paths.mjs";
import { runQuietly } from "./quiet.mjs";

const STAMP = ["dist", "web.stamp"];

export const buildWebTitle = "Building the web app (about 5 s, when it changed)";

/** Whether dist/web was made from what lies here now. */
export function isWebBuilt() {
  return existsSync(inRoot("dist", "web")) && readStamp(...STAMP) === webDigest();
}

/**
 * Builds the web app into dist/web. It is built beside and moved into place, so that a server which is
 * running meanwhile never sees half of it.
 *
 * @param {string} nodeBinary
 */
export async function buildWeb(nodeBinary) {
  // Taken before the build: a file that changes during it makes the next start build again.
  const digest = webDigest();
  const fresh = inRoot("dist", `web.${process.pid}`);
  const old = `${fresh}.old`;
  const program = inRoot("node_modules", "vite", "bin", "vite.js");
  mkdirSync(inRoot("dist"), { recursive: true });
  try {
    await runQuietly(nodeBinary, [program, "build", "--outDir", fresh, "--emptyOutDir"], root);
    rmSync(inRoot(...STAMP), { force: true });
    if (existsSync(inRoot("dist", "web"))) renameSync(inRoot("dist", "web"), old);
    renameSync(fresh, inRoot("dist", "web"));
    writeStamp(digest, ...STAMP);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

function webDigest() {
  return digestOf([
    "web",
    "contract",
    "vite.config.ts",
    "scripts/language-files.ts",
    "scripts/precompress.ts",
    "tsconfig.base.json",
    "tsconfig.web.json",
    "package-lock.json",
  ]);
}
