import { isWatched, type KnownFault } from "./new-app.ts";
import { newestFirst, type Installed, type NewApp } from "./resolve-new-app.ts";

/** How many tests passed with a set of packages, and the names of those that failed. */
export type Result = { installed: Installed[]; passed: number; failed: string[] };

const begin = "<!-- The table is written by npm run clients -- latest -->";
const end = "<!-- The end of the table -->";

/** `faults` are those of the packages in the new app. */
export function compatibilityTable(
  pinned: Result,
  newest: Result,
  { skipped }: Pick<NewApp, "skipped">,
  faults: KnownFault[],
  at: Date,
): string {
  const names = [...new Set([...newest.installed, ...pinned.installed].map(({ name }) => name))].toSorted();
  return [
    "## Versions",
    "",
    `| | Tested with every commit | In a new app, tested on ${at.toISOString().slice(0, 10)} |`,
    "|---|---|---|",
    ...names.map((name) => `| ${name} | ${versionsOf(name, pinned)} | ${versionsOf(name, newest)} |`),
    `| Tests | ${countsOf(pinned)} | ${countsOf(newest)} |`,
    ...listOf(
      "Newer versions that a new app does not get:",
      skipped.map(({ name, version, reason }) => `${name} ${version}: ${reason}`),
    ),
    ...listOf("Failed with the versions tested with every commit:", pinned.failed),
    ...listOf("Failed in a new app:", unexplained(newest, faults)),
    ...faults.flatMap((fault) =>
      listOf(
        `Failed in a new app because \`${fault.package}\` ${fault.version} ${fault.reason}:`,
        newest.failed.filter((name) => fault.tests.test(name)),
      ),
    ),
  ].join("\n");
}

/** The faults that the installed versions have. */
export function presentFaults(faults: KnownFault[], installed: Installed[]): KnownFault[] {
  return faults.filter((fault) =>
    installed.some(({ name, version }) => name === fault.package && version === fault.version),
  );
}

/** The failures that no fault explains. */
export function unexplained({ failed }: Pick<Result, "failed">, faults: KnownFault[]): string[] {
  return failed.filter((name) => !faults.some(({ tests }) => tests.test(name)));
}

/** Packages that the table on the page does not have: assistant-ui depends on them since the last time. */
export function newNames(page: string, installed: Installed[]): string[] {
  const known = [...tableOn(page).matchAll(/^\| (\S+) \|/gm)].map(([, name]) => name);
  const names = [...new Set(installed.map(({ name }) => name))];
  return names.filter((name) => isWatched(name) && !known.includes(name)).toSorted();
}

/** Throws if the page has no place for the table. */
export function replaceTable(page: string, table: string): string {
  const current = tableOn(page);
  return page.replace(`${begin}${current}${end}`, () => `${begin}\n\n${table}\n\n${end}`);
}

function tableOn(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no lines "${begin}" and "${end}".`);
  return page.slice(from + begin.length, to);
}

function versionsOf(name: string, { installed }: Result): string {
  const versions = new Set(installed.filter((each) => each.name === name).map(({ version }) => version));
  return versions.size === 0 ? "–" : newestFirst([...versions]).join(", ");
}

function countsOf({ passed, failed }: Result): string {
  return failed.length === 0 ? `${passed} passed` : `${passed} passed, ${failed.length} failed`;
}

function listOf(title: string, entries: string[]): string[] {
  return entries.length === 0 ? [] : ["", title, "", ...entries.map((entry) => `* ${entry}`)];
}
