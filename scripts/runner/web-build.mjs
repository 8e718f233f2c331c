import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { digestOf, inRoot, isStamped, root, writeStamp } from "./files.mjs";
import { runQuietly } from "./packages.mjs";

const stamp = "dist/web.stamp";

/** Whether dist/web was built from the present sources. */
export function isWebBuilt() {
  return existsSync(inRoot("dist", "web")) && isStamped(stamp, sourceDigest());
}

/**
 * Builds the web app into a new folder and renames it to dist/web, so that a running server never serves half a build.
 *
 * @param {string} nodeBinary
 */
export async function buildWeb(nodeBinary) {
  // Taken before the build: a file that changes during the build makes the next start build again.
  const digest = sourceDigest();
  const fresh = inRoot("dist", `web.${process.pid}`);
  const old = `${fresh}.old`;
  mkdirSync(inRoot("dist"), { recursive: true });
  try {
    const vite = inRoot("node_modules", "vite", "bin", "vite.js");
    await runQuietly(nodeBinary, [vite, "build", "--outDir", fresh, "--emptyOutDir"], root);
    rmSync(inRoot(stamp), { force: true });
    if (existsSync(inRoot("dist", "web"))) renameSync(inRoot("dist", "web"), old);
    renameSync(fresh, inRoot("dist", "web"));
    writeStamp(stamp, digest);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

const sourceDigest = () =>
  digestOf([
    "web",
    "contract",
    "vite.config.ts",
    "scripts/endpoint-paths.ts",
    "scripts/language-files.ts",
    "scripts/precompress.ts",
    "scripts/scalar-bundle.ts",
    "tsconfig.base.json",
    "tsconfig.web.json",
    "package-lock.json",
  ]);
