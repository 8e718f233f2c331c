import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { extraFile, extraFolders, packagesOf, pinnedBy, sha256Of } from "./find-extra.ts";
import type { ExtraName, PinnedPackage } from "./list.ts";

/**
 * Puts an extra into the data folder, whole or not at all: the files that it needs of the archives of its packages, whose
 * hashes must be those that this version of Parlance has. Returns the packages that no archive is of; then nothing changes.
 */
export async function installExtra(options: {
  dataDir: string;
  name: ExtraName;
  languages: readonly string[];
  /** The paths of archives, in any order and with any name. */
  archives: readonly string[];
}): Promise<PinnedPackage[]> {
  const { dataDir, name, languages, archives } = options;
  const packages = packagesOf(name, languages) ?? [];
  const byIntegrity = new Map<string, Buffer>();
  for (const path of archives) {
    const bytes = await readFile(path);
    byIntegrity.set(`sha512-${createHash("sha512").update(bytes).digest("base64")}`, bytes);
  }
  const missing = packages.filter(({ integrity }) => !byIntegrity.has(integrity));
  if (missing.length > 0) return missing;
  const target = extraFolders(dataDir, name)[0]!;
  await removeUnfinished(target);
  await mkdir(dirname(target), { recursive: true });
  const unfinished = await mkdtemp(`${target}.new-`);
  try {
    for (const { integrity, files } of packages) {
      const contents = filesOfTarball(byIntegrity.get(integrity)!);
      for (const [file, { path, sha256 }] of Object.entries(files)) {
        const bytes = contents.get(path);
        if (bytes === undefined || sha256Of(bytes) !== sha256) throw new Error(`${path} is not as listed`);
        await writeFile(join(unfinished, file), bytes);
      }
    }
    await writeFile(
      join(unfinished, extraFile),
      JSON.stringify({ languages, pinned: pinnedBy(name, languages) }),
    );
    // A server that runs finds the old one, none, or the new one.
    await rm(target, { recursive: true, force: true });
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return [];
}

/** Returns whether it was there. */
export async function removeExtra(dataDir: string, name: ExtraName): Promise<boolean> {
  const target = extraFolders(dataDir, name)[0]!;
  await removeUnfinished(target);
  const isThere = await readdir(target).then(
    () => true,
    () => false,
  );
  await rm(target, { recursive: true, force: true });
  return isThere;
}

/** What is left of a command that was killed. */
async function removeUnfinished(target: string): Promise<void> {
  const beside = await readdir(dirname(target)).catch(() => []);
  for (const name of beside)
    if (join(dirname(target), name).startsWith(`${target}.new-`))
      await rm(join(dirname(target), name), { recursive: true, force: true });
}

const blockBytes = 512;

/** The files of a package's archive, by their paths. Only for archives whose hash is known: broken ones are not looked for. */
function filesOfTarball(archive: Uint8Array): Map<string, Buffer> {
  const bytes = gunzipSync(archive);
  const files = new Map<string, Buffer>();
  const textAt = (start: number, length: number): string =>
    bytes.toString("utf8", start, start + length).replace(/\0.*$/s, "");
  for (let at = 0; at + blockBytes <= bytes.length && bytes[at] !== 0;) {
    const sizeBytes = Number.parseInt(textAt(at + 124, 12), 8);
    const start = at + blockBytes;
    files.set(textAt(at, 100), bytes.subarray(start, start + sizeBytes));
    at = start + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
  return files;
}
