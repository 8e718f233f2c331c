import { appendFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { approvalTools } from "./approval-tools.ts";

enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/node", import.meta.url)));
// As in server/main.mjs: the import comes after this line, so that it is cached too.
const { serve } = await import("#server/app/start.ts");

/** The server's main program with tools that ask a person. It appends a line to `CALLS_FILE` for each executed call. */
const file = process.env.CALLS_FILE;
await serve({
  tools: approvalTools((name, args) => {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, args })}\n`);
  }),
});
