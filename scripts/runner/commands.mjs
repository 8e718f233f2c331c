import { npmProgram } from "./packages.mjs";

/**
 * @typedef {{ packages?: "to serve" | "all", web?: true }} Need what must be ready before the command runs, besides Node. The
 *   web app is built from the packages "to serve"; "all" has those of development and tests too
 * @typedef {{ about: string, need: Need, args: (given: string[]) => string[] }} Command `args` are Node's
 */

/** @type {(about: string, need: Need, ...fixed: string[]) => Command} */
const command = (about, need, ...fixed) => ({ about, need, args: (given) => [...fixed, ...given] });

/** @type {(about: string, ...fixed: string[]) => Command} */
const tool = (about, ...fixed) => command(about, { packages: "all" }, ...fixed);

/** @type {(about: string, ...fixed: string[]) => Command} */
const toolWithWeb = (about, ...fixed) => command(about, { packages: "all", web: true }, ...fixed);

const tests = "scripts/test/main.ts";

/** @type {Record<string, Command>} */
const commands = {
  start: command("serve Parlance", { packages: "to serve", web: true }, "server/main.mjs"),
  dev: tool("serve it during development, with reloads on changes", "scripts/dev.ts"),
  cli: command("administration commands; cli --help lists them", { packages: "to serve" }, "cli/main.ts"),
  test: tool("run all checks and tests", tests, "everything"),
  check: tool("run the fast checks: types, lint, format, most tests on SQLite", tests, "quick"),
  types: tool("check types", tests, "types"),
  lint: tool("lint (--fix fixes)", "node_modules/oxlint/bin/oxlint"),
  format: tool("format all files (--check only checks)", "node_modules/oxfmt/bin/oxfmt"),
  clients: toolWithWeb("test the protocol's clients; with latest, the newest too", "scripts/clients/main.ts"),
  bench: toolWithWeb("run the benchmarks", "bench/main.ts"),
  drill: tool("kill servers, cut networks, fill disks, and count what was lost", "drill/main.ts"),
  release: command(
    "make the package, notes and checksums of a release",
    { packages: "to serve", web: true },
    "scripts/release/main.ts",
  ),
  stage: command(
    "put the package of a release into a folder, for an image",
    { packages: "to serve", web: true },
    "scripts/release/stage-main.ts",
  ),
  build: command("build the web app, if it changed", { packages: "to serve", web: true }, "--eval", ""),
  vitest: tool("run some tests: vitest run storage/log", "node_modules/vitest/vitest.mjs"),
  npm: {
    ...command("npm with Parlance's Node: npm install --save-exact <package>", {}),
    args: (given) => [npmProgram(), ...given],
  },
  node: tool("Parlance's Node"),
};

/** @param {string} name */
export const commandNamed = (name) => (Object.hasOwn(commands, name) ? commands[name] : undefined);

export function listOfCommands() {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return `node scripts/run.mjs <command>, where the command is one of\n${lines.join("\n")}`;
}
