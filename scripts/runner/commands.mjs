import { markInstalledBy } from "./install.mjs";
import { npmProgram } from "./npm.mjs";

/**
 * @typedef {"dependencies" | "web"} Need What must be there before the command can run.
 * @typedef {{
 *   does: string,
 *   needs: Need[],
 *   line: (args: string[]) => string[],
 *   after?: (args: string[], node: import("./node.mjs").ChosenNode) => void,
 * }} Command `line` is what Node is called with; `after` follows when that has ended well.
 */

/** @type {Record<string, Command>} */
const commands = {
  start: {
    does: "serve Parlance",
    needs: ["dependencies", "web"],
    line: (args) => ["server/main.ts", ...args],
  },
  dev: {
    does: "serve it while you change it: the server restarts, the page updates itself",
    needs: ["dependencies"],
    line: (args) => ["scripts/dev.ts", ...args],
  },
  cli: {
    does: 'the operator\'s commands, such as cli key make "my app" (cli --help lists them)',
    needs: ["dependencies"],
    line: (args) => ["cli/main.ts", ...args],
  },
  test: {
    does: "run every check and every test, with a real PostgreSQL and a real browser",
    needs: ["dependencies"],
    line: (args) => ["scripts/test/main.ts", "everything", ...args],
  },
  check: {
    does: "run the quick half of the tests: types, lint, format, the house, units on SQLite",
    needs: ["dependencies"],
    line: (args) => ["scripts/test/main.ts", "quick", ...args],
  },
  types: {
    does: "check the types of every world",
    needs: ["dependencies"],
    line: (args) => ["scripts/test/main.ts", "types", ...args],
  },
  lint: {
    does: "look for mistakes (--fix mends what can be mended)",
    needs: ["dependencies"],
    line: (args) => ["node_modules/oxlint/bin/oxlint", ...args],
  },
  format: {
    does: "lay out every file (--check only looks)",
    needs: ["dependencies"],
    line: (args) => ["node_modules/oxfmt/bin/oxfmt", ...(args.length > 0 ? args : ["."])],
  },
  bench: {
    does: "measure",
    needs: ["dependencies", "web"],
    line: (args) => ["bench/main.ts", ...args],
  },
  drill: {
    does: "kill, cut, fill and stall everything while people talk, and count what was lost: nothing",
    needs: ["dependencies"],
    line: (args) => ["drill/main.ts", ...args],
  },
  build: {
    does: "build the web app, if it changed",
    needs: ["dependencies", "web"],
    line: () => ["--eval", ""],
  },
  reference: {
    does: "write docs/api.md anew from contract/",
    needs: ["dependencies"],
    line: () => ["server/reference/main.ts"],
  },
  vitest: {
    does: "run some tests: vitest run storage/log",
    needs: ["dependencies"],
    line: (args) => ["node_modules/vitest/vitest.mjs", ...args],
  },
  npm: {
    does: "npm under the Node that runs Parlance: npm install --save-exact <package>",
    needs: [],
    line: (args) => [npmProgram(), ...args],
    after: markInstalledBy,
  },
  node: {
    does: "that Node itself",
    needs: ["dependencies"],
    line: (args) => args,
  },
};

/** @param {string} name */
export function commandNamed(name) {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

export function listOfCommands() {
  const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(8)} ${does}`);
  return `node scripts/run.mjs <command>, where the command is one of\n${lines.join("\n")}`;
}
