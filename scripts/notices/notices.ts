import { readFile } from "node:fs/promises";
import { inRoot } from "../runner/files.mjs";
import { isAllowed } from "./licenses.ts";
import type { Package } from "./packages.ts";
import { textsOf } from "./texts.ts";

const introduction = `Third-party notices

Parlance contains or installs the following software. Each text of a license follows the packages to which it applies.`;

/** Characters: as many as fit on a phone. */
export const ruleLength = 32;

/** A line for each package whose license is not on the list. */
export const refusedLicenses = (packages: Package[]): string[] =>
  packages
    .filter(({ license }) => !isAllowed(license))
    .map(
      ({ name, version, license }) =>
        `${name} ${version} has the license "${license}", which is not on the list in scripts/notices/licenses.ts. ` +
        "Use another package, or add the license if Parlance meets its conditions.",
    );

/** The packages, their licenses and copyrights, and each text of a license once. Throws if a license is not on the list. */
export async function writeNotices(packages: Package[]): Promise<string> {
  const refused = refusedLicenses(packages);
  if (refused.length > 0) throw new Error(refused.join("\n"));
  const sections = new Map<string, { entries: string[]; text: string }>();
  for (const item of packages) {
    const heading = await headingOf(item);
    for (const { text, copyrights } of await textsOf(item)) {
      const key = text.replaceAll(/[\W_]+/g, "").toLowerCase();
      const section = sections.get(key) ?? { entries: [], text };
      section.entries.push([heading, ...new Set(copyrights)].join("\n    "));
      sections.set(key, section);
    }
  }
  const blocks = [...sections.values()].map(({ entries, text }) => `${entries.join("\n")}\n\n${text}`);
  return `${[introduction, ...blocks].join(`\n\n${"=".repeat(ruleLength)}\n\n`)}\n`;
}

/** The name, version and license of a package, and where its source is. */
async function headingOf({ name, version, license, folder }: Package): Promise<string> {
  const manifest = await readFile(inRoot(folder, "package.json"), "utf8").catch(() => "{}");
  const { repository } = JSON.parse(manifest) as { repository?: string | { url?: string } };
  const given = typeof repository === "string" ? repository : repository?.url;
  const url = given
    ?.replace(/^git\+|\.git$/g, "")
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, "https://")
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1");
  return [`${name} ${version}`, license, url].filter((part) => part !== undefined).join(", ");
}
