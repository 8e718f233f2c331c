import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { Outcome, Skip } from "./outcome.ts";

/** Writes the result of a run to the file that the test script reads. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]) {
    const file = process.env.PARLANCE_TALLY_FILE;
    if (file) writeFileSync(file, JSON.stringify(tally(modules, unhandled.length)));
  }
}

function tally(modules: readonly TestModule[], unhandled: number): Outcome {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: string) => tests.filter((test) => test.result().state === state).length;
  // A file that cannot be loaded has no tests, so the file itself counts as a failure.
  const broken = modules.filter((module) => module.errors().length > 0).length;
  return {
    passed: count("passed"),
    failed: count("failed") + broken + unhandled,
    skipped: tests.filter((test) => test.result().state === "skipped").map(skip),
    complaints: unhandled > 0 ? [`${unhandled} errors happened outside any test.`] : [],
  };
}

function skip(test: TestCase): Skip {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return { file: test.module.relativeModuleId, name: test.fullName, reason: note ?? "no reason given" };
}
