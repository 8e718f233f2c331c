import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "#contract/reference/openapi.ts";
import { referenceMarkdown } from "./markdown.ts";

/** Writes docs/api.md anew: `node scripts/run.mjs reference`. */
writeFileSync(join(import.meta.dirname, "..", "..", "docs", "api.md"), referenceMarkdown(openApi("")));
