import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedStage, type Outcome } from "./outcome.ts";
import type { Tally } from "./tally-reporter.ts";
import { runTool } from "./tool.ts";

/** More failed files than this are not run again: something is broken. */
const FLAKY_FILES_MAX = 8;

type Run = { project: string; env: Record<string, string>; options: readonly string[] };

/**
 * Runs one Vitest project and counts its tests. `options` are Vitest's, such as paths of the tests to run. In CI, whose
 * machine may stall, files with failed tests are run up to twice more, with new servers and without the other files beside
 * them. A project without any test run has failed.
 */
export async function vitestStage(
  project: string,
  env: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<Outcome> {
  const first = await runVitest({ project, env, options });
  if (typeof first === "string") return failedStage(first);
  const files = new Map(first.files.map((file) => [file.path, file]));
  const failedFiles = () => [...files.values()].filter(({ failed }) => failed > 0).map(({ path }) => path);
  const failedFirst = failedFiles();
  let { unhandled } = first;
  const repeats = process.env.CI === undefined || failedFirst.length > FLAKY_FILES_MAX ? 0 : 2;
  for (let repeat = 0; repeat < repeats && failedFiles().length > 0; repeat++) {
    console.log(`\n      Running files with failed tests again: ${failedFiles().join(", ")}`);
    const again = await runVitest({ project, env, options: failedFiles() });
    if (typeof again === "string") return failedStage(again);
    for (const file of again.files) {
      const before = files.get(file.path);
      // A file whose tests are skipped this time has not passed.
      const isWhole = before === undefined || file.passed + file.failed >= before.passed + before.failed;
      if (isWhole) files.set(file.path, file);
    }
    unhandled += again.unhandled;
  }

  const sum = (field: "passed" | "failed") =>
    [...files.values()].reduce((total, file) => total + file[field], 0);
  if (sum("passed") + sum("failed") === 0) return failedStage(`No tests of "${project}" ran.`);
  return {
    passed: sum("passed"),
    failed: sum("failed") + unhandled,
    skipped: first.skipped,
    complaints: unhandled > 0 ? [`${unhandled} errors happened outside any test.`] : [],
    flaky: failedFirst.filter((path) => !failedFiles().includes(path)),
  };
}

/** Returns a sentence if Vitest has no result. */
async function runVitest({ project, env, options }: Run): Promise<Tally | string> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-tally-"));
  const file = join(folder, "tally.json");
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
    if (!existsSync(file)) return `Vitest ${problem ?? "ended"} without a result.`;
    const tally = JSON.parse(readFileSync(file, "utf8")) as Tally;
    // Vitest can also fail without a failed test: a setup error, or a worker that died.
    if (problem && tally.unhandled === 0 && tally.files.every(({ failed }) => failed === 0))
      return `Vitest ${problem}.`;
    return tally;
  } finally {
    clear();
    process.off("exit", clear);
  }
}
