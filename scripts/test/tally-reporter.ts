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
      const failed = count("failed");
      // A file that cannot be loaded, or whose hook failed, may have no failed test. It counts as one.
      const isBroken = failed === 0 && module.state() === "failed";
      return { path: module.relativeModuleId, passed: count("passed"), failed: isBroken ? 1 : failed };
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
