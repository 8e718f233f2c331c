import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { programFolder } from "#server/lib/program.ts";

// As in server/main.mjs: the import comes after this line, so that it is cached too.
enableCompileCache(join(programFolder, "node_modules/.cache/node"));
const [{ runCli }, { terminal }] = await Promise.all([import("./program.ts"), import("./terminal.ts")]);

process.exitCode = await runCli(process.argv.slice(2), {
  folder: programFolder,
  ...terminal(),
});
