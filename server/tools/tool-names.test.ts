import { expect, test } from "vitest";
import { nameOfTool } from "./tool-names.ts";

test("a tool of a source is called by the source’s slug and its own name", () => {
  expect(nameOfTool("github", "create_issue")).toBe("github__create_issue");
});

test("a name that providers would refuse is cleaned and cut, and differs from its neighbours", () => {
  const names = [
    "read file",
    "read/file",
    "read_file",
    "x".repeat(100),
    `${"x".repeat(100)}y`,
    "",
    "日本",
  ].map((name) => nameOfTool("files", name));
  for (const name of names) expect(name).toMatch(/^files__[A-Za-z0-9_-]{0,57}$/);
  expect(new Set(names).size).toBe(names.length);
});
