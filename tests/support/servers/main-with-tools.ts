import { appendFileSync } from "node:fs";
import { serve } from "#server/app/start.ts";
import { approvalTools } from "./approval-tools.ts";

/** The server's main program with tools that ask a person. It appends a line to `CALLS_FILE` for each executed call. */
const file = process.env.CALLS_FILE;
await serve({
  tools: approvalTools((name, args) => {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, args })}\n`);
  }),
});
