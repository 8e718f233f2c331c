import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { diskFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

/** Kept between runs and outside the clone, because it takes one to two minutes to make. */
const cache = join(homedir(), ".cache", "parlance-tests");

/** Node 26 needs libatomic1. */
const packages = ["libatomic1"];
const unneeded = [
  "usr/share/doc",
  "usr/share/man",
  "usr/share/locale",
  "usr/share/info",
  "var/cache/apt",
].concat("var/lib/apt/lists", "var/log");

/** The archive of a small Debian of this machine's version, as base images are made. */
export async function debianArchive(): Promise<string> {
  const [, suite] = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile("/etc/os-release", "utf8"))!;
  const inputs = JSON.stringify([suite, process.arch, packages, unneeded]);
  const key = createHash("sha256").update(inputs).digest("hex").slice(0, 16);
  const archive = join(cache, `debian-${suite}-${key}.tar`);
  if (existsSync(archive)) return archive;
  const folder = await mkdtemp(join(diskFolder(), "debian-"));
  // Renamed when it is whole, so that another run never reads half of it.
  const unfinished = `${archive}.${randomUUID()}`;
  try {
    await run("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, suite!, folder], {
      maxBuffer: Infinity,
    });
    for (const path of unneeded) await rm(join(folder, path), { recursive: true, force: true });
    await mkdir(cache, { recursive: true });
    await run("tar", ["--create", "--file", unfinished, "--directory", folder, "."]);
    await rename(unfinished, archive);
  } finally {
    await rm(unfinished, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
  return archive;
}
