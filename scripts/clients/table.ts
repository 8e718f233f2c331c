/** The versions of the clients, and how many of their tests passed and failed with them. */
export type Result = { versions: Record<string, string>; passed: number; failed: number };

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
  ].join("\n");
}

/** Throws if the page has no place for the table. */
export function replaceTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no lines "${begin}" and "${end}".`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}

function countsOf({ passed, failed }: Result): string {
  return failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
}
