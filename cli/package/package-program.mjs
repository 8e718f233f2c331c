#!/usr/bin/env node
// What the package's command `parlance` starts.
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

const folder = new URL("../../", import.meta.url);
const updated = updatedProgram();
if (updated === undefined) await runThisVersion();
else await import(updated.href);

/** `parlance update` puts other versions below this one, and then the name of the one to use into a file. */
function updatedProgram() {
  try {
    const version = readFileSync(new URL("versions/current", folder), "utf8").trim();
    const program = new URL(
      `versions/${version}/node_modules/parlance-server/cli/package/package-program.mjs`,
      folder,
    );
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

async function runThisVersion() {
  // Checked first, because an older Node would fail with an error that helps nobody.
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 24 || (major === 24 && minor < 7)) {
    console.error(`Parlance needs Node 24.7 or newer. This is ${process.versions.node}: https://nodejs.org`);
    process.exit(1);
  }
  // As in server/main.mjs: with little memory, the space for new objects does not grow.
  const memoryBytes = Math.min(process.constrainedMemory() || Infinity, totalmem());
  if (memoryBytes <= 512 * 1024 * 1024) setFlagsFromString("--semi-space-growth-factor=1");
  // As in server/main.mjs: the import comes after this line, so that it is cached too.
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL(".cache", folder)));
  const { runParlance } = await import("./parlance.ts");
  await runParlance(process.argv.slice(2));
}
