/**
 * The licenses, as SPDX names them, under which Parlance may contain a package. All of them are met by a notice with the
 * license's text. EPL-2.0, LGPL-3.0 and MPL-2.0 also ask for the source of the package itself: the notices link to it, and
 * Parlance contains these packages unchanged.
 */
const allowed = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "EPL-2.0",
  "ISC",
  "LGPL-3.0-or-later",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
]);

/** Packages whose `package.json` names no license, with that of their license file. */
const licensesOfFiles: Record<string, string> = { khroma: "MIT" };

/** The license that a package names, as an SPDX expression. */
export const licenseOf = (name: string, given: string | undefined): string =>
  given ?? licensesOfFiles[name] ?? "no license";

/** Whether every license of an SPDX expression is on the list, or of alternatives one. */
export const isAllowed = (expression: string): boolean =>
  licensesIn(expression).every((alternatives) => alternatives.some((id) => allowed.has(id)));

/** The licenses on the list under which a package with this expression is used. */
export const usedLicenses = (expression: string): string[] =>
  licensesIn(expression).flatMap((alternatives) => alternatives.find((id) => allowed.has(id)) ?? []);

/** Alternatives within parts that all apply. An expression that has both is one license, which is not on the list. */
function licensesIn(expression: string): string[][] {
  const plain = expression.replace(/^\((.*)\)$/, "$1");
  if (/ AND /.test(plain)) return plain.split(" AND ").map((id) => [id]);
  return [plain.split(" OR ")];
}
