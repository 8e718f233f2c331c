import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let built: Promise<string> | undefined;

/** The folder of the renderers of shared threads, which are built once per process from the present sources. */
export async function builtShareRenderers(): Promise<string> {
  return await (built ??= build());
}

async function build(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), "parlance-share-"));
  const args = ["build", "--config", "vite.share.config.ts", "--outDir", outDir, "--logLevel", "error"];
  // In its own process, because Vite builds the development version in one of a test.
  const { NODE_ENV: _, ...env } = process.env;
  await promisify(execFile)(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), ...args], {
    cwd: root,
    env,
  });
  return outDir;
}
