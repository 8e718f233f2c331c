import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRoot, root } from "../runner/files.mjs";

/** What vitest's JSON reporter writes. */
type Report = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; ancestorTitles: string[]; title: string }[];
  }[];
};

/** Runs the tests of the clients: with the lockfile's packages, or with those of the new app in a folder. */
export function runSuite(newApp?: string): { passed: number; failed: string[] } {
  const outputs = mkdtempSync(join(tmpdir(), "parlance-clients-"));
  const env = { ...process.env, ...(newApp === undefined ? {} : { PARLANCE_NEW_APP: newApp }) };
  const run = (line: string[]) =>
    spawnSync(process.execPath, [inRoot("scripts/run.mjs"), ...line], {
      cwd: root,
      env,
      stdio: ["ignore", "inherit", "inherit"],
    }).status;
  if (run(["build"]) !== 0) throw new Error("The web app could not be built.");
  const counts = { passed: 0, failed: [] as string[] };
  for (const [project, ...tests] of [
    ["unit", "tests/protocol", "tests/client"],
    ["e2e", "e2e/clients"],
  ] as const) {
    const file = join(outputs, `${project}.json`);
    // A busy machine must not look like a difference between versions.
    const vitest = ["vitest", "run", "--project", project, ...tests, "--testTimeout=120000"];
    run([...vitest, "--reporter=default", "--reporter=json", `--outputFile.json=${file}`]);
    if (!existsSync(file)) throw new Error(`The ${project} tests ended without a report.`);
    const report = countsOf(JSON.parse(readFileSync(file, "utf8")) as Report);
    counts.passed += report.passed;
    counts.failed.push(...report.failed);
  }
  rmSync(outputs, { recursive: true, force: true });
  return counts;
}

/** A file that fails outside of its tests, as when an import is missing, counts as a failed test. */
export function countsOf({ numPassedTests, testResults }: Report): { passed: number; failed: string[] } {
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((each) => each.status === "failed");
    if (status === "failed" && tests.length === 0)
      return [`${name.replace(`${root}/`, "")}: ${firstLine(message)}`];
    return tests.map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(": "));
  });
  return { passed: numPassedTests, failed };
}

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
