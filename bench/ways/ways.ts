import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { npmProgram } from "../../scripts/runner/packages.mjs";
import { buildImage, reasonWithoutContainers } from "../../tests/package/built-image.ts";
import { installPackage } from "../../tests/package/installed-package.ts";
import { apiKey } from "#fixtures/people.ts";
import { newId } from "#contract/ids.ts";
import { ask, userWithKey } from "../support/parlance.ts";
import { root, startProcess } from "../support/process.ts";
import type { Figure } from "../support/report.ts";
import { withFolder } from "../support/services.ts";

/** The ways to get a server: what is downloaded and installed, its memory, and the time to the first page. */

const MB = 1_000_000;
const settings = {
  PORT: "0",
  HOST: "127.0.0.1",
  OLLAMA_URL: "off",
  LOG_LEVEL: "warn",
  PARLANCE_API_KEY: apiKey,
};

export async function packageFigures(): Promise<Figure[]> {
  const installed = await installPackage();
  try {
    const { folder } = installed;
    const archive = join(
      installed.release,
      installed.files.find((name) => name.endsWith(".tgz"))!,
    );
    const packages = archivesOf(join(folder, "npm-shrinkwrap.json"));
    const memory = await withFolder(async (data) => await memoryOf([installed.program], data));
    const [first, second] = await withFolder(async (home) => [
      await timeOfNpx(archive, home),
      await timeOfNpx(archive, home),
    ]);
    return [
      {
        what: "package: download, its packages included",
        unit: "MB",
        ours: (statSync(archive).size + packages) / MB,
      },
      atMost({ what: "package: installed", unit: "MB", ours: bytesIn(folder) / MB }, 160),
      { what: "package: memory when idle", unit: "MB", ours: memory.idle },
      { what: "package: memory after an answer", unit: "MB", ours: memory.answered },
      {
        what: "package: npx until the first page, first time, packages in npm's cache",
        unit: "ms",
        ours: first,
      },
      atMost(
        {
          what: "package: npx until the first page, later",
          unit: "ms",
          ours: second,
          baseline: timeOfNpm(),
          against: "npx of a program that does nothing",
        },
        4_000,
      ),
    ];
  } finally {
    await installed.remove();
  }
}

/** Installs and builds this clone's newest commit in a new folder. */
export async function cloneFigures(): Promise<Figure[]> {
  return await withFolder(async (folder) => {
    const clone = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", root, clone]);
    const run = [join(clone, "scripts/run.mjs"), "start"];
    const first = await timeOf(run, join(folder, "data"));
    const second = await timeOf(run, join(folder, "data"));
    const memory = await memoryOf([join(clone, "server/main.mjs")], join(folder, "data"));
    return [
      {
        what: "clone: download of its packages",
        unit: "MB",
        ours: archivesOf(join(clone, "package-lock.json")) / MB,
      },
      { what: "clone: installed", unit: "MB", ours: bytesIn(clone) / MB },
      { what: "clone: memory when idle", unit: "MB", ours: memory.idle },
      { what: "clone: memory after an answer", unit: "MB", ours: memory.answered },
      {
        what: "clone: npm start until the first page, first time, packages in npm's cache",
        unit: "ms",
        ours: first,
      },
      { what: "clone: npm start until the first page, later", unit: "ms", ours: second },
    ];
  });
}

/** Its memory and times are those of the package, which it starts. */
export async function imageFigures(): Promise<Figure[]> {
  const missing = reasonWithoutContainers();
  if (missing !== undefined) {
    console.log(`  The image was skipped: ${missing}.`);
    return [];
  }
  const image = await buildImage({ commit: "0".repeat(40) });
  const { ours, whole, oursCompressed, wholeCompressed } = image.bytes;
  await image.remove();
  return [
    { what: "image: download, base included", unit: "MB", ours: wholeCompressed / MB },
    { what: "image: download of our layers", unit: "MB", ours: oursCompressed / MB },
    atMost({ what: "image: installed, base included", unit: "MB", ours: whole / MB }, 380),
    atMost({ what: "image: our layers", unit: "MB", ours: ours / MB }, 125),
  ];
}

const atMost = (figure: Figure, most: number): Figure => ({
  ...figure,
  aim: `at most ${most} ${figure.unit}`,
  met: figure.ours <= most,
});

async function timeOf(program: string[], data: string): Promise<number> {
  const startedAt = performance.now();
  const server = await startProcess(program, { ...settings, DATA_DIR: data });
  await fetch(server.url).then(async (page) => await page.text());
  const ms = performance.now() - startedAt;
  await server.stop();
  return ms;
}

async function memoryOf(program: string[], data: string): Promise<{ idle: number; answered: number }> {
  const server = await startProcess(program, { ...settings, DATA_DIR: data });
  const used = () => (server.residentMiB() * 1024 * 1024) / MB;
  const idle = used();
  await ask(userWithKey(server.url, "bench"), newId("thread"), "What is 12 * 12?", () => {});
  const answered = used();
  await server.stop();
  return { idle, answered };
}

function timeOfNpm(): number {
  const startedAt = performance.now();
  execFileSync(process.execPath, [npmProgram(), "exec", "--offline", "--call", "node --eval 0"]);
  return performance.now() - startedAt;
}

/** `home` gets npm's own folder, with a link to the packages that this machine has downloaded. */
async function timeOfNpx(archive: string, home: string): Promise<number> {
  const own = execFileSync(process.execPath, [npmProgram(), "config", "get", "cache"], { encoding: "utf8" });
  const cache = join(home, "npm");
  if (mkdirSync(cache, { recursive: true }) !== undefined)
    symlinkSync(join(own.trim(), "_cacache"), join(cache, "_cacache"));
  const line = [
    "exec",
    "--yes",
    "--prefer-offline",
    "--ignore-scripts",
    "--package",
    archive,
    "--",
    "parlance",
  ];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [npmProgram(), ...line], {
    cwd: home,
    env: { ...process.env, ...settings, DATA_DIR: join(home, "data"), npm_config_cache: cache },
    stdio: ["ignore", "pipe", "inherit"],
    // Its own group: npm does not forward every signal.
    detached: true,
  });
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`npm exec ended with ${code}: ${output}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [found] = /https?:\/\/[\d.]+:\d+/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  await fetch(url).then(async (page) => await page.text());
  const ms = performance.now() - startedAt;
  const ended = new Promise((resolve) => child.once("close", resolve));
  process.kill(-child.pid!, "SIGTERM");
  await ended;
  return ms;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The size of the archives of a lockfile's packages, in npm's cache: those that were installed on this machine. */
function archivesOf(lockfile: string): number {
  const cache = execFileSync(process.execPath, [npmProgram(), "config", "get", "cache"], {
    encoding: "utf8",
  }).trim();
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as {
    packages: Record<string, { integrity?: string; dev?: boolean }>;
  };
  const hashes = Object.values(packages).flatMap(({ integrity, dev }) =>
    integrity === undefined || dev === true
      ? []
      : [Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex")],
  );
  return [...new Set(hashes)]
    .map((hash) =>
      join(cache, "_cacache/content-v2/sha512", hash.slice(0, 2), hash.slice(2, 4), hash.slice(4)),
    )
    .reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}
