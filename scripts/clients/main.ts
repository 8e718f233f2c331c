// Runs the tests of the protocol's clients. With `latest`, also in a copy of this clone with their newest versions, and
// writes both results into docs/assistant-ui.md.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { inRoot, root } from "../runner/files.mjs";
import { npmProgram } from "../runner/packages.mjs";
import { compatibilityTable, replaceTable, type Result } from "./table.ts";
import { chooseNewest, newerVersions, withNewVersions, withVersions, type Versions } from "./versions.ts";

/** The packages. Older ones that this clone also installs, under other names, stay as they are. */
const clients = [
  "assistant-cloud",
  "@assistant-ui/core",
  "@assistant-ui/react",
  "@assistant-ui/react-ai-sdk",
  "@assistant-ui/react-data-stream",
  "@assistant-ui/cloud-ai-sdk",
  "assistant-stream",
  "ai",
  "@ai-sdk/react",
];
const page = "docs/assistant-ui.md";
const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=silent"];

const [mode] = process.argv.slice(2);
if (mode !== undefined && mode !== "latest") {
  console.error("Use: npm run clients, or npm run clients -- latest");
  process.exit(2);
}
const pinned = runSuite(root, versionsIn(root));
if (mode === "latest") {
  const newest = withCopy((copy) => {
    const versions = installNewest(copy);
    return versions === undefined ? pinned : runSuite(copy, versions);
  });
  const table = compatibilityTable(clients, pinned, newest, new Date());
  writeFileSync(inRoot(page), replaceTable(readFileSync(inRoot(page), "utf8"), table));
  console.log(`\n${table}\n\nWritten to ${page}.`);
  if (newest.failed.length > 0) process.exitCode = 1;
}
if (pinned.failed.length > 0) process.exitCode = 1;

function withCopy<T>(work: (copy: string) => T): T {
  mkdirSync(inRoot("dist"), { recursive: true });
  const copy = mkdtempSync(inRoot("dist", "latest-clients-"));
  try {
    const { stdout } = spawnSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    });
    for (const file of stdout.split("\0").filter((name) => name !== ""))
      cpSync(inRoot(file), join(copy, file));
    return work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Installs, package by package, the newest release that npm accepts beside the others. Returns none if all are pinned. */
function installNewest(copy: string): Versions | undefined {
  const pinned = versionsIn(root);
  const chosen = chooseNewest(
    clients,
    (name) => newerVersions(publishedVersions(name), pinned[name]!),
    (versions) => resolves(copy, versions),
  );
  if (Object.keys(chosen).length === 0) return undefined;
  if (!resolves(copy, chosen) || npm(copy, ["ci", ...quietly]).status !== 0)
    throw new Error(`npm could not install ${JSON.stringify(chosen)}.`);
  const versions = versionsIn(copy);
  const path = join(copy, page);
  writeFileSync(path, withNewVersions(readFileSync(path, "utf8"), versions));
  return versions;
}

/** Whether npm finds everything that these versions need. Writes the copy's lockfile. */
function resolves(copy: string, versions: Versions): boolean {
  const original = readFileSync(inRoot("package.json"), "utf8");
  writeFileSync(join(copy, "package.json"), withVersions(original, versions));
  cpSync(inRoot("package-lock.json"), join(copy, "package-lock.json"));
  return npm(copy, ["install", "--package-lock-only", ...quietly]).status === 0;
}

function publishedVersions(name: string): string[] {
  const { stdout, status } = npm(root, ["view", name, "versions", "--json"]);
  if (status !== 0) throw new Error(`npm could not list the versions of ${name}.`);
  return JSON.parse(stdout) as string[];
}

function versionsIn(folder: string): Versions {
  return Object.fromEntries(
    clients.map((name) => {
      const path = join(folder, "node_modules", name, "package.json");
      return [name, (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version];
    }),
  );
}

/** What vitest's JSON reporter writes. */
type Report = {
  numPassedTests: number;
  testResults: { assertionResults: { status: string; ancestorTitles: string[]; title: string }[] }[];
};

/** Runs the tests in a folder. */
function runSuite(folder: string, versions: Versions): Result {
  console.log(`\nThe tests of the clients with ${JSON.stringify(versions)}`);
  const outputs = mkdtempSync(join(tmpdir(), "parlance-clients-"));
  const built = run(folder, ["scripts/run.mjs", "build"]);
  if (built !== 0) throw new Error("The web app could not be built.");
  const result: Result = { versions, passed: 0, failed: [] };
  for (const [project, ...tests] of [
    ["unit", "tests/protocol", "tests/client"],
    ["e2e", "e2e/clients"],
  ] as const) {
    const file = join(outputs, `${project}.json`);
    // A busy machine must not look like a difference between versions.
    const vitest = ["vitest", "run", "--project", project, ...tests, "--testTimeout=120000"];
    run(folder, [
      "scripts/run.mjs",
      ...vitest,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
    ]);
    const { numPassedTests, testResults } = JSON.parse(readFileSync(file, "utf8")) as Report;
    result.passed += numPassedTests;
    for (const { status, ancestorTitles, title } of testResults.flatMap((each) => each.assertionResults))
      if (status === "failed") result.failed.push([...ancestorTitles, title].join(": "));
  }
  rmSync(outputs, { recursive: true, force: true });
  return result;
}

function run(cwd: string, line: string[]): number | null {
  return spawnSync(process.execPath, line, { cwd, stdio: ["ignore", "inherit", "inherit"] }).status;
}

function npm(cwd: string, args: string[]) {
  return spawnSync(process.execPath, [npmProgram(), ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}
