import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { digestOf, inRoot, isStamped, root, writeStamp } from "./files.mjs";

// Inside node_modules, so that deleting the folder deletes the stamp too.
const stamp = "node_modules/.installed";

/**
 * Whether the installed packages match the lockfile, for this machine.
 *
 * @param {boolean} withTools also those that only development and tests need
 */
export const isInstalled = (withTools) =>
  isStamped(stamp, lockDigest(true)) || (!withTools && isStamped(stamp, lockDigest(false)));

/**
 * @param {string} nodeBinary
 * @param {boolean} withTools
 */
export async function installPackages(nodeBinary, withTools) {
  // Said in both cases, because NODE_ENV decides otherwise.
  await runNpm(nodeBinary, ["ci", withTools ? "--include=dev" : "--omit=dev"], root);
  writeStamp(stamp, lockDigest(withTools));
}

/** @param {boolean} withTools */
const lockDigest = (withTools) =>
  digestOf(["package-lock.json"], [process.platform, process.arch, withTools ? "with tools" : "to serve"]);

/** npm's program file. Calling it with Node directly, without a shell, works on Windows and with spaces in paths. */
export function npmProgram() {
  const started = process.env.npm_execpath ?? "";
  const nodeFolder = dirname(process.execPath);
  const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "npm"));
  const candidates = [
    basename(started) === "npm-cli.js" ? started : "",
    join(nodeFolder, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(nodeFolder, "node_modules", "npm", "bin", "npm-cli.js"),
    ...onPath.filter((path) => existsSync(path)).map((path) => realpathSync(path)),
  ];
  const found = candidates.find((path) => path.endsWith(".js") && existsSync(path));
  if (!found) throw new Error("npm was not found. Install Node with npm, and run this again.");
  return found;
}

/**
 * @param {string} nodeBinary
 * @param {string[]} args
 * @param {string} folder
 */
export async function runNpm(nodeBinary, args, folder) {
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--loglevel=error"];
  await runQuietly(nodeBinary, [npmProgram(), ...args, ...flags], folder);
}

/**
 * Runs a program without showing its output. When the program fails, the error holds the end of the output.
 *
 * @param {string} nodeBinary
 * @param {string[]} args
 * @param {string} folder
 * @returns {Promise<void>}
 */
export function runQuietly(nodeBinary, args, folder) {
  return new Promise((resolve, reject) => {
    // Vitest sets NODE_ENV=test, with which a build would contain the development version of React.
    const env = { ...environmentFor(nodeBinary), NODE_ENV: "production" };
    const options = { cwd: folder, env, maxBuffer: Infinity };
    const child = execFile(nodeBinary, args, options, (error, output, errors) => {
      process.removeListener("exit", end);
      // 4,000 characters: the end of the output, which says what went wrong.
      if (error) reject(new Error((output + errors).trim().slice(-4_000) || error.message));
      else resolve();
    });
    const end = () => child.kill();
    process.once("exit", end);
  });
}

/** The environment, with the chosen Node and the installed programs first on the PATH.
 * @param {string} nodeBinary
 * @returns {Record<string, string | undefined>} */
export function environmentFor(nodeBinary) {
  const env = { ...process.env };
  // Windows spells it Path.
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  env[key] = [dirname(nodeBinary), inRoot("node_modules", ".bin"), env[key]].filter(Boolean).join(delimiter);
  return env;
}
