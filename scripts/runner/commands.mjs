import { serverProgram } from "./files.mjs";
import { npmProgram } from "./packages.mjs";

/**
 * @typedef {"dependencies" | "web"} Need what must be ready before the command runs
 * @typedef {{ about: string, needs: Need[], args: (given: string[]) => string[] }} Command `args` are Node's
 */

/** @type {(about: string, needs: Need[], ...fixed: string[]) => Command} */
const command = (about, needs, ...fixed) => ({ about, needs, args: (given) => [...fixed, ...given] });

/** @type {Need[]} */
const dependencies = ["dependencies"];
/** @type {Need[]} */
const everything = ["dependencies", "web"];
const tests = "scripts/test/main.ts";

/** @type {Record<string, Command>} */
const commands = {
  start: command("serve Parlance", everything, serverProgram),
  dev: command("serve it during development, with reloads on changes", dependencies, "scripts/dev.ts"),
  cli: command("administration commands; cli --help lists them", dependencies, "cli/main.ts"),
  test: command("run all checks and tests", dependencies, tests, "everything"),
  check: command(
    "run the fast checks: types, lint, format, most tests on SQLite",
    dependencies,
    tests,
    "quick",
  ),
  types: command("check types", dependencies, tests, "types"),
  lint: command("lint (--fix fixes)", dependencies, "node_modules/oxlint/bin/oxlint"),
  format: command("format all files (--check only checks)", dependencies, "node_modules/oxfmt/bin/oxfmt"),
  clients: command(
    "test the protocol's clients; clients latest also tests their newest versions",
    everything,
    "scripts/clients/main.ts",
  ),
  bench: command("run the benchmarks", everything, "bench/main.ts"),
  drill: command(
    "kill servers, cut networks, fill disks, and count what was lost",
    dependencies,
    "drill/main.ts",
  ),
  build: command("build the web app, if it changed", everything, "--eval", ""),
  vitest: command("run some tests: vitest run storage/log", dependencies, "node_modules/vitest/vitest.mjs"),
  npm: {
    ...command("npm with Parlance's Node: npm install --save-exact <package>", []),
    args: (given) => [npmProgram(), ...given],
  },
  node: command("Parlance's Node", dependencies),
};

/** @param {string} name */
export const commandNamed = (name) => (Object.hasOwn(commands, name) ? commands[name] : undefined);

export function listOfCommands() {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`);
  return `node scripts/run.mjs <command>, where the command is one of\n${lines.join("\n")}`;
}
