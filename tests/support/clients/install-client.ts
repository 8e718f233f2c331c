import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npmProgram, runQuietly } from "../../../scripts/runner/packages.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Packs `client/` as for publishing, installs it in a new folder and returns the folder's path. The folder is inside the
 * repository, so that the package finds its peer dependencies.
 */
export async function installClient(): Promise<{ folder: string; remove(): void }> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist", "app-"));
  // Without it, npm would install into the repository.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const npm = async (args: string[], within: string) =>
    await runQuietly(process.execPath, [npmProgram(), ...args], within);
  // The scripts build the package. Under `npm test` they are off, as this repository's .npmrc says.
  await npm(["pack", "--pack-destination", folder, "--ignore-scripts=false"], join(root, "client"));
  const [packed = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  // The dependency is installed here already, and not every npm has it in its cache.
  const dependency = join(root, "node_modules/eventsource-parser");
  const install = ["install", "--offline", "--legacy-peer-deps", "--no-audit"];
  await npm([...install, `./${packed}`, dependency], folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
