/** The versions of the clients, how many of their tests passed with them, and the names of those that failed. */
export type Result = { versions: Record<string, string>; passed: number; failed: string[] };

const begin = "<!-- The table is written by npm run clients -- latest -->";
const end = "<!-- The end of the table -->";

export function compatibilityTable(names: string[], pinned: Result, newest: Result, at: Date): string {
  return [
    "## Versions",
    "",
    `| | Tested with every commit | Newest that install together, tested on ${at.toISOString().slice(0, 10)} |`,
    "|---|---|---|",
    ...names.map((name) => `| ${name} | ${pinned.versions[name]} | ${newest.versions[name]} |`),
    `| Tests | ${countsOf(pinned)} | ${countsOf(newest)} |`,
    ...failuresOf("the versions tested with every commit", pinned),
    ...failuresOf("the newest versions", newest),
  ].join("\n");
}

/** Throws if the page has no place for the table. */
export function replaceTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no lines "${begin}" and "${end}".`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}

function countsOf({ passed, failed }: Result): string {
  return failed.length === 0 ? `${passed} passed` : `${passed} passed, ${failed.length} failed`;
}

function failuresOf(versions: string, { failed }: Result): string[] {
  if (failed.length === 0) return [];
  return ["", `Failed with ${versions}:`, "", ...failed.map((name) => `* ${name}`)];
}
