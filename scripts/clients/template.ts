import { isWatched, type Ranges } from "./new-app.ts";

/**
 * Takes the ranges of a newer `package.json` of the template. Returns them, and what differs from `known`, for the person who
 * then changes new-app.ts.
 */
export function rangesOf(packageJson: string, known: Ranges): { template: Ranges; changes: string[] } {
  const { dependencies } = JSON.parse(packageJson) as { dependencies?: Ranges };
  if (typeof dependencies !== "object") throw new Error("The template's package.json has no dependencies.");
  const template = Object.fromEntries(
    Object.entries(dependencies)
      .filter(([name]) => name in known || isWatched(name))
      .map(([name, range]) => [name, range.startsWith("workspace:") ? "latest" : range]),
  );
  const names = [...new Set([...Object.keys(known), ...Object.keys(template)])].toSorted();
  const changes = names
    .filter((name) => template[name] !== known[name])
    .map((name) => `${name}: ${known[name] ?? "not there"} before, ${template[name] ?? "not there"} now`);
  return { template, changes };
}
