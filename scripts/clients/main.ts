// Runs the tests of the protocol's clients. With `latest`, also with the packages that a new app installs today, and writes
// both results into docs/assistant-ui.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRoot } from "../runner/files.mjs";
import { additions, knownFaults, template as knownTemplate } from "./new-app.ts";
import { createNpm, RegistryUnreachable } from "./npm.ts";
import { resolveNewApp, watchedIn, type Lock, type NewApp } from "./resolve-new-app.ts";
import { runSuite } from "./run-suite.ts";
import { compatibilityTable, newNames, presentFaults, replaceTable, unexplained } from "./table.ts";
import { rangesOf } from "./template.ts";

const page = inRoot("docs/assistant-ui.md");

const [mode, templateFile, ...rest] = process.argv.slice(2);
if ((mode !== undefined && mode !== "latest") || rest.length > 0) {
  console.error(
    "Use: npm run clients, npm run clients -- latest, or npm run clients -- latest <package.json of assistant-ui's template>",
  );
  process.exit(2);
}
if (mode === undefined) {
  if (runSuite().failed.length > 0) process.exitCode = 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), "parlance-new-app-"));
  try {
    testNewest(folder, await installNewApp(folder, templateFile));
  } catch (error) {
    if (!(error instanceof RegistryUnreachable)) throw error;
    console.error(
      `The npm registry cannot be reached (${error.message}). docs/assistant-ui.md keeps its table.`,
    );
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installNewApp(folder: string, file: string | undefined): Promise<NewApp> {
  const npm = createNpm();
  const { template, changes } =
    file === undefined
      ? { template: knownTemplate, changes: [] }
      : rangesOf(readFileSync(file, "utf8"), knownTemplate);
  say("The template has changed. Change scripts/clients/new-app.ts too:", changes);
  const newApp = await resolveNewApp(folder, template, additions, npm);
  const { failure } = await npm(folder, ["ci"]);
  if (failure !== undefined) throw new Error(`The new app could not be installed: ${failure.reason}`);
  const line = ({ name, version, below }: NewApp["installed"][number]) =>
    `${name} ${version}${below === undefined ? "" : ` below ${below}`}`;
  say("A new app has:", newApp.installed.map(line));
  say(
    "Newer versions that it does not get:",
    newApp.skipped.map(({ name, version, reason }) => `${name} ${version}: ${reason}`),
  );
  say("New among the packages of assistant-ui:", newNames(readFileSync(page, "utf8"), newApp.installed));
  return newApp;
}

function testNewest(folder: string, newApp: NewApp): void {
  const lock = JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")) as Lock;
  console.log("\nThe tests of the clients with the pinned packages");
  const pinned = { installed: watchedIn(lock), ...runSuite() };
  console.log("\nThe tests of the clients with the packages of a new app");
  const newest = { installed: newApp.installed, ...runSuite(folder) };
  const faults = presentFaults(knownFaults, newApp.installed);
  const table = compatibilityTable(pinned, newest, newApp, faults, new Date());
  writeFileSync(page, replaceTable(readFileSync(page, "utf8"), table));
  console.log(`\n${table}\n\nWritten to docs/assistant-ui.md.`);
  const gone = faults.filter(({ tests }) => !newest.failed.some((name) => tests.test(name)));
  say(
    "Known faults that are gone. Remove them from scripts/clients/new-app.ts:",
    gone.map((each) => each.package),
  );
  if (pinned.failed.length > 0 || unexplained(newest, faults).length > 0) process.exitCode = 1;
}

function say(title: string, entries: string[]): void {
  if (entries.length > 0) console.log([title, ...entries.map((entry) => `* ${entry}`), ""].join("\n"));
}
