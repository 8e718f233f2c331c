import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

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
export function launchChromium(flags: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: findOrInstallChromium(), args: [...FLAGS, ...flags] });
}

/**
 * The path of a working Chromium. If there is none, it is installed, which takes a minute or two: from Debian's packages
 * as root, else Playwright's own download. Throws with instructions.
 */
export function findOrInstallChromium(): string {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (starts(given)) return given;
    throw new Error(`CHROMIUM_PATH is ${given}, which does not start.`);
  }
  const found = find() ?? install();
  // Searched only once per run.
  process.env.CHROMIUM_PATH = found;
  return found;
}

function find(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...APPLICATIONS, chromium.executablePath()].filter(existsSync).find(starts);
}

function starts(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

function install(): string {
  const failures: string[] = [];
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("Installing Chromium from Debian's packages (about a minute, once) ...");
    const packages = ["chromium", "fonts-liberation"];
    failures.push(
      failureOf("apt-get", ["update"]) ??
        failureOf("apt-get", ["install", "--yes", "--no-install-recommends", ...packages]) ??
        "apt-get installed none",
    );
    const installed = find();
    if (installed) return installed;
  }
  console.log("Downloading Playwright's Chromium (about a minute, once) ...");
  const home = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  failures.push(
    failureOf(process.execPath, [join(home, "cli.js"), "install", "chromium"]) ?? "Playwright installed none",
  );
  const downloaded = find();
  if (downloaded) return downloaded;
  throw new Error(`${INSTALL_HINT} (${failures.join("; ")})`);
}

/** The line of its output with the error, or `undefined` if the program succeeded. */
function failureOf(program: string, args: string[]): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
  if (status === 0) return undefined;
  const lines = (error?.message ?? stderr).trim().split("\n");
  return lines.findLast((line) => /^E(rror)?:/.test(line)) ?? lines.at(-1) ?? `${program} failed`;
}
