import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { installPackages } from "../../scripts/test/debian-packages.ts";

/** Debian's package, which has no browser window and needs a third less processor time than Chromium itself. */
const HEADLESS_SHELL = "chromium-headless-shell";
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

const INSTALL_HINT =
  "The end-to-end tests need Chromium: install it (apt-get install chromium), or set CHROMIUM_PATH to one.";

// --no-sandbox: without it, Chromium does not start as root or in most containers, and it opens only our own pages.
// The other flags stop it from contacting other servers.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts a browser, which the caller closes. The global setup has found or installed it. */
export async function launchChromium(flags: string[] = []): Promise<Browser> {
  return await chromium.launch({ executablePath: await findOrInstallChromium(), args: [...FLAGS, ...flags] });
}

/**
 * The path of a browser for tests: a headless shell if there is one or Debian's can be installed, else Chromium. Later
 * calls of `launchChromium` in this process and in those that it starts use the same one.
 */
export async function findOrInstallHeadlessShell(): Promise<string> {
  if (!process.env.CHROMIUM_PATH) {
    let shell = findOnPath([HEADLESS_SHELL]);
    if (!shell) {
      console.log("Installing Chromium's headless shell (about 20 s, once) ...");
      await installPackages([HEADLESS_SHELL, "fonts-liberation"]);
      shell = findOnPath([HEADLESS_SHELL]);
    }
    if (shell) process.env.CHROMIUM_PATH = shell;
  }
  return await findOrInstallChromium();
}

/**
 * The path of a working Chromium. If there is none, it is installed, which takes a minute or two: from Debian's packages
 * as root, else Playwright's own download. Throws with instructions.
 */
async function findOrInstallChromium(): Promise<string> {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (starts(given)) return given;
    throw new Error(`CHROMIUM_PATH is ${given}, which does not start.`);
  }
  const found = find() ?? (await install());
  // Searched only once per run.
  process.env.CHROMIUM_PATH = found;
  return found;
}

function find(): string | undefined {
  return findOnPath(NAMES) ?? [...APPLICATIONS, chromium.executablePath()].filter(existsSync).find(starts);
}

function findOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.filter(existsSync).find(starts);
}

function starts(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

async function install(): Promise<string> {
  console.log("Installing Chromium (about a minute, once) ...");
  const failures = [await installPackages(["chromium", "fonts-liberation"])];
  const installed = find();
  if (installed) return installed;
  const home = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  failures.push(
    failureOf(process.execPath, [join(home, "cli.js"), "install", "chromium"]) ?? "Playwright installed none",
  );
  const downloaded = find();
  if (downloaded) return downloaded;
  throw new Error(`${INSTALL_HINT} (${failures.filter(Boolean).join("; ")})`);
}

/** The line of its output with the error, or `undefined` if the program succeeded. */
function failureOf(program: string, args: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return undefined;
  const lines = (error?.message ?? stderr).trim().split("\n");
  return lines.findLast((line) => /^E(rror)?:/.test(line)) ?? lines.at(-1) ?? `${program} failed`;
}
