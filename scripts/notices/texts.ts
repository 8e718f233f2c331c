import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { inRoot } from "../runner/files.mjs";
import { usedLicenses } from "./licenses.ts";
import type { Package } from "./packages.ts";

/** A license's text without its copyright lines, which differ between packages with the same license. */
export type LicenseText = { text: string; copyrights: string[] };

/**
 * The texts of a package's license files, or those of its README, and of the licenses that it names, unless a file has them.
 */
export async function textsOf({ folder, license }: Package): Promise<LicenseText[]> {
  const names = await readdir(inRoot(folder)).catch((): string[] => []);
  const files = await readAll(
    folder,
    names.filter((name) => licenseFile.test(name)),
  );
  const readmes =
    files.length > 0
      ? []
      : await readAll(
          folder,
          names.filter((name) => /^readme\.md$/i.test(name)),
        );
  // A section that only names the license says nothing more.
  const sections = readmes
    .flatMap((text) => licenseSection.exec(text)?.[0] ?? [])
    .filter((text) => /copyright|\|/i.test(text));
  const own = [...files, ...sections];
  const standard = await Promise.all(usedLicenses(license).map(readStandardText));
  // Instead of the whole Apache license, some files have the paragraph that refers to it.
  const missing = standard.filter(
    (text) => !own.some((given) => files.length > 0 && given.length > Math.min(text.length, longLength) / 2),
  );
  return [...own, ...missing].map(withoutCopyrights);
}

const licenseFile = /^(licen[cs]e|copying|notice|unlicense)([.-](md|txt|mit|mpl))?$/i;
const licenseSection = /^#+ *licens(?:e|ing)\b.*?(?=^#|$(?![^]))/ims;
/** Characters. Shorter licenses are a few paragraphs, which packages change slightly. */
const longLength = 8_000;

const readAll = async (folder: string, files: string[]): Promise<string[]> =>
  await Promise.all(files.map(async (file) => await readFile(inRoot(join(folder, file)), "utf8")));

async function readStandardText(id: string): Promise<string> {
  const path = inRoot("node_modules/spdx-license-list/licenses", `${id}.json`);
  const { licenseText } = JSON.parse(await readFile(path, "utf8")) as { licenseText: string };
  return licenseText;
}

const copyright = /^\W*(?:copyright\b.*(?:\(c\)|©|\d{4}|<year>|\[yyyy\])|(?:\(c\)|©) *\d{4}).*$/i;
const placeholder = /<year>|\[yyyy\]|<owner>/i;
const title = /^\W*(?:the )?(?:mit|isc) licen[cs]e\b.{0,10}$/i;

function withoutCopyrights(content: string): LicenseText {
  const lines = content.replaceAll("\r", "").split("\n");
  const copyrights = lines.filter((line) => copyright.test(line) && !placeholder.test(line));
  const text = lines.filter((line) => !copyright.test(line) && !title.test(line)).join("\n");
  return {
    text: text.replaceAll(/\n{3,}/g, "\n\n").trim(),
    copyrights: copyrights.map((line) => line.trim()),
  };
}
