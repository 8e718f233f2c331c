import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outcome } from "./outcome.ts";
import { failedStage } from "./outcome.ts";
import { runTool } from "./tool.ts";

/**
 * Runs one Vitest project and counts its tests. `options` are Vitest's, such as paths of the tests to run. A project
 * without any test run has failed.
 */
export async function vitestStage(
  project: string,
  env: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-tally-"));
  const file = join(folder, "outcome.json");
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clear);
  try {
    const problem = await runTool(
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        ...options,
        `--project=${project}`,
        "--reporter=default",
        "--reporter=./scripts/test/tally-reporter.ts",
      ],
      { ...env, PARLANCE_TALLY_FILE: file },
    );
    if (!existsSync(file)) return failedStage(`Vitest ${problem ?? "ended"} without a result.`);
    const outcome = JSON.parse(readFileSync(file, "utf8")) as Outcome;
    if (outcome.passed + outcome.failed === 0) return failedStage(`No tests of "${project}" ran.`);
    // Vitest can also fail without a failed test: a setup error, or a worker that died.
    if (problem && outcome.failed === 0) return { ...outcome, failed: 1, complaints: [`Vitest ${problem}.`] };
    return outcome;
  } finally {
    clear();
    process.off("exit", clear);
  }
}
