import type { Routes } from "../lib/route.ts";
import type { ReadFileText } from "./file-text.ts";

export function extractionRoutes(readFileText: ReadFileText): Routes<"files.text"> {
  return {
    "files.text": async ({ visitor, params, request }) =>
      await readFileText(visitor, params.file_id, request.signal),
  };
}
