import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApi } from "#contract/reference/openapi.ts";
import { referenceMarkdown } from "./markdown.ts";

const text = referenceMarkdown(openApi(""));

test("docs/api.md is what the contract says", () => {
  const written = readFileSync(join(import.meta.dirname, "..", "..", "docs", "api.md"), "utf8");
  expect(written === text, "docs/api.md is out of date. Run: node scripts/run.mjs reference").toBe(true);
});

test("every link of docs/api.md leads somewhere on it", () => {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id));
  const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, id]) => id!);
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((id) => !anchors.has(id))).toEqual([]);
});
