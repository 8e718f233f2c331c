import { writeFileSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { describe, expect, test, onTestFinished } from "vitest";
import { groups } from "#cli/commands.ts";
import { runCommand } from "../support/servers/cli.ts";
import { emptyPlace, type ServerPlace } from "../support/servers/server.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const environmentOf = ({ dataDir }: ServerPlace) => ({ PATH: process.env.PATH, DATA_DIR: dataDir });

async function place() {
  const made = await emptyPlace("sqlite");
  onTestFinished(made.remove);
  return made;
}

describe("the command line", () => {
  test("lists its commands and exit codes, and describes each command and its options", async () => {
    const where = await place();
    const { code, out, err } = await runCommand(where, ["--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("Exit codes: 0 success, 1 failure, 2 wrong usage.");
    for (const name of Object.keys(groups)) {
      expect(out).toContain(name);
      const group = await runCommand(where, [name, "--help"]);
      expect(group.code).toBe(0);
      const names = [...group.out.matchAll(/^ {2}([a-z][a-z-]*)(?: \[options\])?(?: <\w+>)* +\w/gm)].map(
        ([, command]) => command!,
      );
      expect(names.length, "commands in the help").toBeGreaterThan(0);
      for (const command of names.filter((word) => word !== "help")) {
        const told = await runCommand(where, [name, command, "--help"]);
        expect(told.code, `${name} ${command}`).toBe(0);
        expect(told.out).toContain(`Usage: cli ${name} ${command}`);
        expect(told.out).toContain("--json");
      }
    }
  });

  test.for([
    [[], "Usage: cli <command>"],
    [["key"], "Usage: cli key"],
    [["kye"], "Unknown command 'kye'\n(Did you mean key?)\nSee: npm run cli -- --help"],
    [["key", "mkae"], "Unknown command 'mkae'"],
    [["key", "create"], "Missing required argument 'name'\nSee: npm run cli -- key create --help"],
    [["key", "create", "a", "b"], "Too many arguments"],
    [["key", "create", "a", "--colour", "red"], "Unknown option '--colour'"],
    [["key", "create", "  "], "argument 'name'. It must have at least one visible character"],
    [["key", "create", "x".repeat(256)], "It must have at most 255 characters; it has 256."],
    [["key", "create", "a\nb"], "It must be on one line."],
  ] as const)("called wrongly, as %j, does nothing and says what is wrong", async ([args, words]) => {
    const ran = await runCommand(await place(), [...args]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(words);
  });

  test.for([
    ["soon", "such as 90d, 12h or 8w, or a day"],
    ["90", "such as 90d"],
    ["2027-02-30", "such as 90d"],
    ["2020-01-31", "It must be in the future."],
    ["0d", "It must be in the future."],
    ["999999d", "within 100 years"],
  ] as const)("refuses %j as an expiry", async ([when, words]) => {
    const ran = await runCommand(await place(), ["key", "create", "a", "--expires", when]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(`'--expires <when>' argument '${when}'`);
    expect(ran.err).toContain(words);
  });

  test("reports errors, with --json only as JSON", async () => {
    const where = await place();
    const people = await runCommand(where, ["key", "revoke", "nobody's"]);
    expect(people).toEqual({
      code: 1,
      out: "",
      err: `<key>: there is no key "nobody's". See: npm run cli -- key list --all\n`,
    });
    const program = await runCommand(where, ["key", "revoke", "nobody's", "--json"]);
    expect(program).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(program.err)).toEqual({ error: people.err.trimEnd() });
    const wrong = await runCommand(where, ["--json", "key", "create"]);
    expect(JSON.parse(wrong.err)).toEqual({ error: "Missing required argument 'name'" });
    expect(wrong.code).toBe(2);
  });

  test("reads the server's settings, and reports wrong ones", async () => {
    const where = await place();
    const ran = await runCommand(where, ["key", "list"], {
      PARLANCE_SECRET: "terribly-secret",
      PORT: "eighty",
    });
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toMatch(/PORT must be .*[^]*PARLANCE_SECRET must have/);
    expect(ran.err).not.toContain("terribly-secret");
  });

  test("reports that the database cannot be opened", async () => {
    const where = await place();
    const away = await runCommand(where, ["key", "list"], {
      DATABASE_URL: "postgres://ada:terribly-secret@127.0.0.1:9/parlance",
    });
    expect(away).toMatchObject({ code: 1, out: "" });
    expect(away.err).not.toMatch(/terribly-secret|\n +at /);
    writeFileSync(join(where.dataDir, "file"), "");
    const noFolder = await runCommand(where, ["key", "list"], { DATA_DIR: join(where.dataDir, "file") });
    expect(noFolder.code).toBe(1);
    expect(noFolder.err).toContain("Make it a folder that this user can write to");
  });

  test("runs as a program", async () => {
    const where = await place();
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [main, ...args], { env: environmentOf(where), encoding: "utf8" });
    expect(run("key", "list")).toMatchObject({ status: 0, stderr: "" });
    expect(run("key", "create")).toMatchObject({ status: 2, stdout: "" });
    expect(run("key", "revoke", "x")).toMatchObject({ status: 1, stdout: "" });
  });

  test("does its work and ends quietly when nothing reads its output any more, as with head", async () => {
    const where = await place();
    const child = spawn(process.execPath, [main, "key", "create", "unread"], { env: environmentOf(where) });
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((await runCommand(where, ["key", "list"])).out).toContain("unread");
  });
});
