import type { Result } from "./run.ts";

/** The results as a table of text: a line for each drill, losses last. */
export function table(results: readonly Result[]): string {
  const lines = results.map((result) => ({
    drill: `${result.drill} (${result.engine})`,
    rounds: result.rounds,
    "under way (least, mean)": `${result.underWay.least}, ${result.underWay.mean}`,
    ...result.counts,
    ...result.losses,
    seconds: result.seconds,
  }));
  const [first] = lines;
  if (first === undefined) return "";
  const names = Object.keys(first) as (keyof typeof first)[];
  // One line for each fact and one column for each drill: there are many more facts than drills.
  const rows = names.map((name) => [name, ...lines.map((line) => String(line[name]))]);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join("  "),
    )
    .join("\n");
}
