import type { Result } from "./run-drill.ts";

/** The results as a text table with one column per drill, losses last. */
export function table(results: readonly Result[]): string {
  const lines = results.map((result) => ({
    drill: `${result.drill} (${result.engine})`,
    rounds: result.rounds,
    "in progress (min, mean)": `${result.inProgress.min}, ${result.inProgress.mean}`,
    "frozen s (median, max)": `${result.frozenSeconds.median}, ${result.frozenSeconds.max}`,
    ...result.counts,
    ...result.losses,
    seconds: result.seconds,
  }));
  const [first] = lines;
  if (first === undefined) return "";
  const names = Object.keys(first) as (keyof typeof first)[];
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
