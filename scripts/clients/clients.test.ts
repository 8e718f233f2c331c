import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inRoot } from "../runner/files.mjs";
import { presentFaults, compatibilityTable, newNames, replaceTable, unexplained } from "./table.ts";
import { countsOf } from "./run-suite.ts";
import { rangesOf } from "./template.ts";

describe("the ranges of a new app", () => {
  const known = { "@assistant-ui/react": "latest", ai: "^7.0.66" };

  test("are those of the template; its own packages are the newest ones", () => {
    const dependencies = { "@assistant-ui/react": "workspace:*", ai: "^7.0.66", next: "^16.0.0" };
    expect(rangesOf(JSON.stringify({ dependencies }), known)).toEqual({ template: known, changes: [] });
  });

  test("change with the template, which is reported", () => {
    const dependencies = { "@assistant-ui/vue": "workspace:*", ai: "^8.0.0" };
    expect(rangesOf(JSON.stringify({ dependencies }), known)).toEqual({
      template: { "@assistant-ui/vue": "latest", ai: "^8.0.0" },
      changes: [
        "@assistant-ui/react: latest before, not there now",
        "@assistant-ui/vue: not there before, latest now",
        "ai: ^7.0.66 before, ^8.0.0 now",
      ],
    });
    expect(() => rangesOf("{}", known)).toThrow(/no dependencies/);
  });
});

describe("the result of the tests", () => {
  test("counts a file that fails outside of its tests", () => {
    const assertionResults = [
      { status: "passed", ancestorTitles: [], title: "one" },
      { status: "failed", ancestorTitles: ["an app"], title: "two" },
    ];
    const report = {
      numPassedTests: 1,
      testResults: [
        { name: inRoot("e2e/a.test.ts"), status: "failed", message: "", assertionResults },
        {
          name: inRoot("e2e/b.test.ts"),
          status: "failed",
          message: "Cannot find module\nat x",
          assertionResults: [],
        },
      ],
    };
    expect(countsOf(report)).toEqual({
      passed: 1,
      failed: ["an app: two", "e2e/b.test.ts: Cannot find module"],
    });
  });

  test("explains failures by a known fault of exactly the installed version", () => {
    const fault = { package: "a", version: "2", tests: /thread/, reason: "loops" };
    const failed = ["opens a thread", "sends a file"];
    expect(unexplained({ failed }, presentFaults([fault], [{ name: "a", version: "2" }]))).toEqual([
      "sends a file",
    ]);
    expect(unexplained({ failed }, presentFaults([fault], [{ name: "a", version: "3" }]))).toEqual(failed);
  });
});

describe("the table of versions", () => {
  const at = new Date("2026-11-24T10:00:00Z");
  const pinned = {
    installed: [
      { name: "a", version: "1" },
      { name: "a", version: "0.9" },
    ],
    passed: 10,
    failed: [],
  };
  const newest = {
    installed: [
      { name: "a", version: "2" },
      { name: "assistant-b", version: "1" },
    ],
    passed: 8,
    failed: ["opens a thread", "sends a file"],
  };
  const fault = { package: "a", version: "2", tests: /thread/, reason: "loops" };
  const skipped = [{ name: "a", version: "3", reason: "No matching version found for c@4." }];
  const table = compatibilityTable(pinned, newest, { skipped }, [fault], at);

  test("has all versions, both results, what was skipped and why, and what failed", () => {
    expect(table.split("\n").slice(2)).toEqual([
      "| | Tested with every commit | In a new app, tested on 2026-11-24 |",
      "|---|---|---|",
      "| a | 1, 0.9 | 2 |",
      "| assistant-b | – | 1 |",
      "| Tests | 10 passed | 8 passed, 2 failed |",
      "",
      "Newer versions that a new app does not get:",
      "",
      "* a 3: No matching version found for c@4.",
      "",
      "Failed in a new app:",
      "",
      "* sends a file",
      "",
      "Failed in a new app because `a` 2 loops:",
      "",
      "* opens a thread",
    ]);
  });

  test("replaces the one on the page, and nothing else", () => {
    const page = readFileSync(inRoot("docs/assistant-ui.md"), "utf8");
    const once = replaceTable(page, table);
    expect(once).toContain(table);
    expect(replaceTable(once, table)).toBe(once);
    expect(() => replaceTable("A page without a place", table)).toThrow(/has no lines/);
  });

  test("tells which packages of assistant-ui are new since it was written", () => {
    const page = replaceTable(readFileSync(inRoot("docs/assistant-ui.md"), "utf8"), table);
    const installed = [...newest.installed, { name: "@assistant-ui/vue", version: "0.0.1" }];
    expect(newNames(page, installed)).toEqual(["@assistant-ui/vue"]);
    expect(newNames(page, newest.installed)).toEqual([]);
  });
});
