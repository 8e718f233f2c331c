import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { Skip } from "./outcome.ts";

/** The result of one run of Vitest. */
export type Tally = {
  files: { path: string; passed: number; failed: number }[];
  skipped: Skip[];
  /** Errors outside any test. */
  unhandled: number;
};

/** Writes the result of a run to the file that the test script reads. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]) {
    const file = process.env.PARLANCE_TALLY_FILE;
    if (file) writeFileSync(file, JSON.stringify(tally(modules, unhandled.length)));
  }
}

function tally(modules: readonly TestModule[], unhandled: number): Tally {
  return {
    files: modules.map((module) => {
      const count = (state: "passed" | "failed") => [...module.children.allTests(state)].length;
      // A file that cannot be loaded has no tests, so the file itself counts as a failure.
      const broken = module.errors().length > 0 ? 1 : 0;
      return { path: module.relativeModuleId, passed: count("passed"), failed: count("failed") + broken };
    }),
    skipped: modules.flatMap((module) => [...module.children.allTests("skipped")].map(skip)),
    unhandled,
  };
}

function skip(test: TestCase): Skip {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return { file: test.module.relativeModuleId, name: test.fullName, reason: note ?? "no reason given" };
}
