import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// As in server/main.mjs: the import comes after this line, so that it is cached too.
enableCompileCache(join(root, "node_modules/.cache/node"));
const { runCli } = await import("./program.ts");

// A reader such as `head` may end first. The command does its work all the same.
for (const output of [process.stdout, process.stderr])
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

process.exitCode = await runCli(process.argv.slice(2), {
  root,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
