// Writes the notices for a new build: for the packages of its pages and of the server. Its argument is the build's folder.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importedPackages } from "../release/package-code.ts";
import { compressBeside } from "../vite/precompress.ts";
import { type BundledPackages, bundledPackagesFile, noticesFile } from "./files.ts";
import { writeNotices } from "./notices.ts";
import { foldersWithNeeds, packagesIn, readLockfile } from "./packages.ts";

const [build = ""] = process.argv.slice(2);
const lockfile = readLockfile();
const installed = (await importedPackages()).map((name) => `node_modules/${name}`);
const folders = foldersWithNeeds(lockfile, installed);
for (const name of ["web", "share"]) {
  const list = join(build, name, bundledPackagesFile);
  const bundled = JSON.parse(await readFile(list, "utf8")) as BundledPackages;
  for (const folder of [...bundled.folders, ...foldersWithNeeds(lockfile, bundled.prebuilt)])
    folders.add(folder);
  await rm(list);
}
const notices = join(build, "web", noticesFile);
await writeFile(notices, await writeNotices(packagesIn(lockfile, folders)));
await compressBeside(notices);
