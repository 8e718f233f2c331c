import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inRoot } from "../runner/files.mjs";
import { compatibilityTable, replaceTable } from "./table.ts";
import { chooseNewest, newerVersions, withNewVersions, withVersions } from "./versions.ts";

describe("the newest versions", () => {
  test("are the releases after the pinned one, newest first", () => {
    const published = ["0.2.2", "0.2.9", "0.2.10", "0.1.43", "0.2.11-beta.1", "0.10.0"];
    expect(newerVersions(published, "0.2.9")).toEqual(["0.10.0", "0.2.10"]);
    expect(newerVersions(published, "0.10.0")).toEqual([]);
  });

  test("are those that can be installed together", () => {
    const newer: Record<string, string[]> = { core: ["3", "2"], react: ["9", "8"], stream: [] };
    // The react of version 9 requires a core that does not exist, and core 3 is not complete.
    const canInstall = (versions: Record<string, string>) => versions.core !== "3" && versions.react !== "9";
    expect(chooseNewest(Object.keys(newer), (name) => newer[name]!, canInstall)).toEqual({
      core: "2",
      react: "8",
    });
  });

  test("replace the pinned ones in package.json and are named on the page", () => {
    const packageJson = JSON.stringify({ dependencies: { a: "1" }, devDependencies: { b: "1", c: "1" } });
    expect(JSON.parse(withVersions(packageJson, { a: "2", b: "3" }))).toEqual({
      dependencies: { a: "2" },
      devDependencies: { b: "3", c: "1" },
    });
    expect(withNewVersions("| `a` 1 | and `ab` 1 |", { a: "2" })).toBe("| `a` 2, 1 | and `ab` 1 |");
  });
});

describe("the table of versions", () => {
  const at = new Date("2026-11-24T10:00:00Z");
  const pinned = { versions: { a: "1", b: "1" }, passed: 10, failed: [] };
  const newest = { versions: { a: "2", b: "1" }, passed: 8, failed: ["opens a thread", "sends a file"] };
  const table = compatibilityTable(["a", "b"], pinned, newest, at);

  test("has both results, and names what failed", () => {
    expect(table.split("\n").slice(2)).toEqual([
      "| | Tested with every commit | Newest that install together, tested on 2026-11-24 |",
      "|---|---|---|",
      "| a | 1 | 2 |",
      "| b | 1 | 1 |",
      "| Tests | 10 passed | 8 passed, 2 failed |",
      "",
      "Failed with the newest versions:",
      "",
      "* opens a thread",
      "* sends a file",
    ]);
  });

  test("replaces the one on the page, and nothing else", () => {
    const page = readFileSync(inRoot("docs/assistant-ui.md"), "utf8");
    const once = replaceTable(page, table);
    expect(once).toContain(table);
    expect(replaceTable(once, table)).toBe(once);
    expect(() => replaceTable("A page without a place", table)).toThrow(/has no lines/);
  });
});
