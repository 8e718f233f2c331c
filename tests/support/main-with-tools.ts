import { appendFileSync } from "node:fs";
import { serve } from "#server/app/start.ts";
import { askingTools } from "./asking-tools.ts";

/** The server as its operator starts it, with tools that ask. `DEEDS_FILE` gets a line for each call carried out. */
const file = process.env.DEEDS_FILE;
serve({
  tools: askingTools((name, args) => {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, args })}\n`);
  }),
});
