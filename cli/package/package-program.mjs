#!/usr/bin/env node
// What the package's command `parlance` starts.
import module from "node:module";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

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
module.enableCompileCache(
  process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL("../../.cache", import.meta.url)),
);
const { runParlance } = await import("./parlance.ts");
await runParlance(process.argv.slice(2));
