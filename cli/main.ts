import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "./program.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

process.exitCode = await runCli(process.argv.slice(2), {
  root,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
