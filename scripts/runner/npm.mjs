import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { runQuietly } from "./quiet.mjs";

/**
 * The file of npm that Node can be called with. Going through the file, never through a shell, is what
 * keeps paths with spaces and Windows working.
 */
export function npmProgram() {
  const found = candidates().find((path) => path && existsSync(path));
  if (!found) throw new Error("npm was not found. Install Node with npm, and run this again.");
  return found;
}

function candidates() {
  const started = process.env.npm_execpath ?? "";
  const beside = dirname(process.execPath);
  return [
    basename(started) === "npm-cli.js" ? started : "",
    join(beside, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(beside, "node_modules", "npm", "bin", "npm-cli.js"),
    ...onPath("npm"),
  ];
}

/** Where the name leads to on the PATH, links followed.
 * @param {string} name */
function onPath(name) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => path.endsWith(".js"));
}

/**
 * Runs npm without a word of its own; when it fails, its words are in the error.
 *
 * @param {string} nodeBinary
 * @param {string[]} args
 * @param {string} folder
 */
export async function runNpm(nodeBinary, args, folder) {
  // --include=dev: the web app is built on the machine that serves it, also where NODE_ENV is production.
  const flags = ["--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  await runQuietly(nodeBinary, [npmProgram(), ...args, ...flags], folder);
}
