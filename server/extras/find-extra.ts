import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type Json } from "#contract/json.ts";
import { programFolder } from "../lib/program.ts";
import { extraNames, extras, type Extra, type ExtraName, type PinnedPackage } from "./list.ts";

/**
 * `ready`: it can be used. `outdated`: this version of Parlance needs other files. `damaged`: its files are not those that
 * were added.
 */
export type ExtraState = "ready" | "missing" | "outdated" | "damaged";

export type FoundExtra = {
  name: ExtraName;
  state: ExtraState;
  languages: string[];
  /** Empty if it is missing. */
  folder: string;
};

/** The name of the file that says which languages an extra has, and which versions of its files. */
export const extraFile = "extra.json";

/** The folders that may have an extra: the data folder, and that of the program, where images have it. */
export function extraFolders(dataDir: string, name: ExtraName): string[] {
  return [join(dataDir, "extras", name), join(programFolder, "extras", name)];
}

/** The extra in the first folder that has it. Does not read its files: see `checkExtra`. */
export async function findExtra(dataDir: string, name: ExtraName): Promise<FoundExtra> {
  for (const folder of extraFolders(dataDir, name)) {
    const text = await readFile(join(folder, extraFile), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const record = recordOf(text);
    if (record === undefined) return { name, state: "damaged", languages: [], folder };
    const { languages, pinned } = record;
    return { name, languages, folder, state: pinned === pinnedBy(name, languages) ? "ready" : "outdated" };
  }
  return { name, state: "missing", languages: [], folder: "" };
}

/** Like `findExtra`, and compares each of its files with the hash in this version of Parlance. */
export async function checkExtra(dataDir: string, name: ExtraName): Promise<FoundExtra> {
  const found = await findExtra(dataDir, name);
  if (found.state !== "ready") return found;
  for (const [file, sha256] of Object.entries(hashesOf(name, found.languages))) {
    const bytes = await readFile(join(found.folder, file)).catch(() => undefined);
    if (bytes === undefined || sha256Of(bytes) !== sha256) return { ...found, state: "damaged" };
  }
  return found;
}

export async function checkExtras(dataDir: string): Promise<FoundExtra[]> {
  return await Promise.all(extraNames.map(async (name) => await checkExtra(dataDir, name)));
}

/** The packages of an extra with these languages. Undefined if it has no such language. */
export function packagesOf(name: ExtraName, languages: readonly string[]): PinnedPackage[] | undefined {
  const extra: Extra = extras[name];
  const chosen = languages.flatMap((tag) => extra.languages[tag] ?? []);
  return chosen.length === languages.length ? [...extra.packages, ...chosen] : undefined;
}

/** The hash (SHA-256) of each file of an extra. */
export function hashesOf(name: ExtraName, languages: readonly string[]): Record<string, string> {
  const files = (packagesOf(name, languages) ?? []).flatMap((each) => Object.entries(each.files));
  return Object.fromEntries(files.map(([file, { sha256 }]) => [file, sha256]));
}

/** Names the files of an extra and their versions. Undefined if it has no such language. */
export function pinnedBy(name: ExtraName, languages: readonly string[]): string | undefined {
  const packages = packagesOf(name, languages);
  return packages === undefined ? undefined : sha256Of(JSON.stringify(packages));
}

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

function recordOf(text: string): { languages: string[]; pinned: string } | undefined {
  try {
    const record = JSON.parse(text) as Json;
    if (!isJsonObject(record)) return undefined;
    const { languages, pinned } = record;
    const isList = Array.isArray(languages) && languages.every((tag) => typeof tag === "string");
    return isList && typeof pinned === "string" ? { languages, pinned } : undefined;
  } catch {
    return undefined;
  }
}
