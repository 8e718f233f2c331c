import { createHash, randomBytes } from "node:crypto";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { appendFile, open, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync, gunzipSync } from "node:zlib";
import { describe, expect, test, vi, onTestFinished } from "vitest";
import { newId } from "#contract/ids.ts";
import { readArchive } from "#storage/backup/archive.ts";
import { archiveFile } from "#storage/backup/archive-file.ts";
import { sql } from "#storage/database/sql.ts";
import { lastDeleted } from "#storage/migrations/list.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { runCommand } from "../support/servers/cli.ts";
import { hostileContents } from "../support/data/hostile-contents.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import {
  emptyPlace,
  newPlace,
  settingsOf,
  startTestServer,
  type EngineName,
  type ServerPlace,
} from "../support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  textOfMessage,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";
import { signUp } from "../support/clients/visitor.ts";

async function place(engine: EngineName, create = newPlace): Promise<ServerPlace> {
  const made = await create(engine);
  onTestFinished(made.remove);
  return made;
}

async function serve(engine: EngineName, where: ServerPlace, model = false) {
  const server = await startTestServer({ engine, place: where, model });
  const { close } = server;
  let closing: Promise<void> | undefined;
  server.close = async () => await (closing ??= close());
  onTestFinished(server.close);
  return server;
}

let archives = 0;
const newPath = (where: ServerPlace): string => join(where.dataDir, `backup-${++archives}.parlance`);

async function done(where: ServerPlace, ...args: string[]): Promise<string> {
  const { code, out, err } = await runCommand(where, args);
  expect({
    code,
    err: err.replace(/^PARLANCE_SECRET is not.*\n|^The backup holds no secret.*\n/, ""),
  }).toEqual({
    code: 0,
    err: "",
  });
  return out;
}

async function refused(where: ServerPlace, words: string | RegExp, ...args: string[]): Promise<void> {
  const { code, out, err } = await runCommand(where, args);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(words);
}

/** All rows of an archive, unordered. */
async function rowsOf(path: string): Promise<string[]> {
  const rows: string[] = [];
  let table: { name: string; columns: string[] } | undefined;
  for await (const line of readArchive(archiveFile(path))) {
    if (line.type === "table") table = line;
    if (line.type === "row")
      rows.push(
        JSON.stringify([
          table!.name,
          Object.fromEntries(line.values.map((value, index) => [table!.columns[index], value])),
        ]),
      );
  }
  // The order of columns differs between engines.
  return rows
    .map((row) => {
      const [name, fields] = JSON.parse(row) as [string, Record<string, unknown>];
      return JSON.stringify([name, Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    })
    .toSorted();
}

/** Creates data of every kind. */
async function somethingIn(engine: EngineName, where: ServerPlace) {
  const server = await serve(engine, where, true);
  const tokens = await signUp(server.url);
  const dan = server.withToken(tokens.access_token);
  const first = await sendAndWait(dan, "Hello\necho");
  await sendAndWait(dan, "Another branch. tokens=3", { thread_id: first.thread_id, parent_id: null });
  await dan.call("messages.feedback", {
    params: { thread_id: first.thread_id, message_id: first.reply_id },
    body: { type: "positive", comment: "Yes." },
  });
  const [folder_id, tag_id] = [newId("label"), newId("label")];
  await dan.call("labels.put", { params: { label_id: folder_id }, body: { kind: "folder", name: "Trips" } });
  await dan.call("labels.put", { params: { label_id: tag_id }, body: { kind: "tag", name: "Summer" } });
  await dan.call("threads.update", {
    params: { thread_id: first.thread_id },
    body: { folder_id, tag_ids: [tag_id] },
  });
  await dan.call("events.add", { body: { events: [{ kind: "message_copied", props: { a: "\u2028" } }] } });
  const { thread_id: nastyId } = await dan.call("threads.create", {
    body: { last_message_at: new Date().toISOString(), title: "Ünïcode\u2029 title" },
  });
  for (const content of Object.values(hostileContents))
    await dan.call("messages.add", {
      params: { thread_id: nastyId },
      body: { parent_id: null, format: "x/1", content },
    });
  await dan.call("scores.put", {
    body: { run_id: first.run_id, name: "q", data_type: "numeric", value: 0.1 },
  });
  const gone = await sendAndWait(dan, "To the trash. tokens=2");
  await dan.call("threads.remove", { params: { thread_id: gone.thread_id } });
  return { server, dan, refreshToken: tokens.refresh_token.token, first, nastyId };
}

const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const));

describe.each(pairs)("a backup of %s, restored into %s", (from, to) => {
  test("has every row, and a server can use it", async () => {
    const there = await place(from);
    const { server, dan, refreshToken, first, nastyId } = await somethingIn(from, there);
    const before = await dan.call("messages.list", { params: { thread_id: nastyId } });
    // Titles are stored after the answers.
    await server.close();
    const path = newPath(there);
    expect(await done(there, "backup", path)).toMatch(/3 threads, \d+ messages, 3 runs, 2 users\.$/m);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await done(there, "backup", "--verify", path)).toContain("is complete");
    expect((await readdir(there.dataDir)).filter((name) => name.includes("unfinished"))).toEqual([]);

    const here = await place(to, emptyPlace);
    await done(here, "restore", path);
    const again = newPath(here);
    await done(here, "backup", again);
    // Besides the entry of the audit log about the restore.
    const rows = await rowsOf(again);
    expect(rows.filter((row) => !row.includes("backup-restored"))).toEqual(await rowsOf(path));
    expect(rows).toHaveLength((await rowsOf(path)).length + 1);

    const restored = await serve(to, here);
    const fresh = await restored.guest.call("auth.refresh", { body: { refresh_token: refreshToken } });
    const back = restored.withToken(fresh.access_token);
    expect(await back.call("messages.list", { params: { thread_id: nastyId } })).toEqual(before);
    expect((await readWholeLog(back, first.run_id)).length).toBeGreaterThan(2);
    const found = await branchOf(back, first.thread_id);
    expect(found).toHaveLength(2);
    const next = await sendAndWait(back, "And on we go.", {
      thread_id: first.thread_id,
      parent_id: found.at(-1)!.id,
    });
    expect(next.reply.end?.state).toBe("completed");
    await restored.close();
    expect(restored.log.takeErrors()).toEqual([]);
  });

  // Many at once are slow, so they are only restored on the other engine.
  if (from === to && engines.length > 1) return;

  test("while many answers are being written is one moment of them, and each can be continued", async () => {
    const there = await place(from);
    const server = await serve(from, there, true);
    const ada = server.inWorkspace("org_load");
    const talks = await Promise.all(
      Array.from({ length: 15 }, async () => await startRun(ada, "A long one. tokens=3000 gap=20")),
    );
    for (const talk of talks) (await waitForFirstWord(ada, talk.run_id)).stream.close();
    const path = newPath(there);
    await done(there, "backup", path);
    // The runs continued during the backup.
    const { run } = await ada.call("runs.get", { params: { run_id: talks[0]!.run_id } });
    expect(run.state).toBe("running");
    await server.close();

    const here = await place(to);
    await done(here, "restore", path);
    const restored = await serve(to, here, true);
    // On PostgreSQL another server may execute the run until its lease has expired.
    restored.clock.advance(60_000);
    const again = restored.inWorkspace("org_load");
    for (const talk of talks) {
      const state = async () => (await again.call("runs.get", { params: { run_id: talk.run_id } })).run.state;
      await expect.poll(state, { timeout: 15_000, interval: 50 }).toBe("interrupted");
    }
    for (const talk of talks.slice(0, 3)) {
      const [, reply] = await branchOf(again, talk.thread_id);
      expect(reply).toMatchObject({
        id: talk.reply_id,
        status: { type: "incomplete", reason: "interrupted" },
      });
      expect(textOfMessage(reply)).not.toBe("");
      const { run_id: runId } = await again.call("runs.continue", {
        params: { run_id: talk.run_id },
        body: {},
      });
      const { stream } = await waitForFirstWord(again, runId);
      stream.close();
      await again.call("runs.stop", { params: { run_id: runId } });
    }
  }, 60_000);
});

describe.each(engines)("restore (%s)", (engine) => {
  async function archiveOf(words: string): Promise<string> {
    const there = await place("sqlite");
    const server = await serve("sqlite", there);
    await sendAndWait(server.inWorkspace("org_1"), words);
    await server.close();
    const path = newPath(there);
    await done(there, "backup", path);
    return path;
  }

  async function titles(where: ServerPlace): Promise<unknown[]> {
    return await rawSql(where, async (run) =>
      (await run("select title from threads")).map(({ title }) => title),
    );
  }

  test("replaces existing data only with the option for it", async () => {
    const path = await archiveOf("The one that was kept");
    const here = await place(engine);
    const server = await serve(engine, here);
    await sendAndWait(server.inWorkspace("org_2"), "The one that is there");
    await refused(here, /stop/i, "restore", path);
    await refused(here, /stop/i, "restore", "--replace", path);
    await server.close();
    await refused(here, "--replace", "restore", path);
    expect(await titles(here)).toEqual(["The one that is there"]);
    await done(here, "restore", "--replace", path);
    expect(await titles(here)).toEqual(["The one that was kept"]);
    const again = await serve(engine, here);
    expect((await again.inWorkspace("org_1").call("threads.list")).threads).toHaveLength(1);
    await again.close();
    expect(again.log.takeErrors()).toEqual([]);
  });

  test("is restored into a database that a server has only created", async () => {
    const path = await archiveOf("The one that was kept");
    const here = await place(engine);
    await (await serve(engine, here)).close();
    await done(here, "restore", path);
    expect(await titles(here)).toEqual(["The one that was kept"]);
  });

  test("migrates a backup of an older version, rows included", async () => {
    const path = await archiveOf("The one that was kept");
    addMigration("9999-later", async (q) => {
      await sql`alter table threads add column color text`.execute(q);
      await sql`update threads set title = title || ', in color'`.execute(q);
    });
    const here = await place(engine);
    await done(here, "restore", path);
    expect(await titles(here)).toEqual(["The one that was kept, in color"]);
    const server = await serve(engine, here);
    expect((await server.inWorkspace("org_1").call("threads.list")).threads).toHaveLength(1);
  });

  test("does not migrate a database of an older version, and says that the audit log has no entry", async () => {
    const here = await place(engine);
    await (await serve(engine, here)).close();
    addMigration("9999-later", async () => {});
    const { code, err } = await runCommand(here, ["backup", newPath(here)]);
    expect([code, err]).toEqual([0, expect.stringContaining("The audit log has no entry") as string]);
    const done = await rawSql(here, async (run) => await run("select name from migrations"));
    expect(done.map(({ name }) => name)).not.toContain("9999-later");
    const entries = await rawSql(here, async (run) => await run("select * from audit_entries"));
    expect(entries).toEqual([]);
  });

  test("of a newer version is refused before anything is touched", async () => {
    const path = await archiveOf("Hello");
    const newer = `${path}.newer`;
    await rewrite(path, newer, ({ head }) => void head.migrations.push("9999-later"));
    const here = await place(engine, emptyPlace);
    await refused(here, "9999-later", "restore", newer);
    expect((await readdir(here.dataDir)).filter((name) => name.startsWith("parlance.db"))).toEqual([]);
  });

  test("of a version that is too old is refused before anything is touched, and the error names a way", async () => {
    const path = await archiveOf("Hello");
    const older = `${path}.older`;
    await rewrite(path, older, ({ head }) => void (head.migrations = ["0001-initial", "0002-text-sizes"]));
    const here = await place(engine, emptyPlace);
    await refused(here, `Parlance of the commit ${lastDeleted.commit}`, "restore", older);
    expect((await readdir(here.dataDir)).filter((name) => name.startsWith("parlance.db"))).toEqual([]);
  });

  test("of a damaged archive is refused before anything is touched", async () => {
    const path = await archiveOf("Hello");
    const here = await place(engine);
    await (await serve(engine, here)).close();
    const { size } = await stat(path);
    const whole = await readFile(path);
    const broken = `${path}.broken`;
    for (const length of [0, 1, 10, Math.floor(size / 2), size - 9, size - 1]) {
      await writeFile(broken, whole);
      await truncate(broken, length);
      await refused(here, /damaged|not a backup/, "restore", broken);
      await refused(here, /damaged|not a backup/, "backup", "--verify", broken);
    }
    for (const at of [0, 20, Math.floor(size / 3), size - 6]) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 0x55;
      await writeFile(broken, bytes);
      await refused(here, /damaged|not a backup/, "restore", broken);
    }
    await writeFile(broken, whole);
    await appendFile(broken, gzipSync('{"table":"threads","columns":["id"]}\n["thread_x"]\n'));
    await refused(here, "damaged", "restore", broken);
    await writeFile(broken, gzipSync("hello\n"));
    await refused(here, /damaged|not a backup/, "restore", broken);
    await writeFile(broken, randomBytes(5_000));
    await refused(here, "not a backup", "restore", broken);
    await refused(here, "There is no file", "restore", `${path}.nowhere`);
    expect(await titles(here)).toEqual([]);
  });

  test("that is killed before it is complete changes nothing", async () => {
    const path = await archiveOf("The one that was kept");
    const secret = JSON.stringify({ file: "secret", text: "s".repeat(40) });
    await rewrite(path, path, ({ lines }) => void lines.unshift(secret));
    const here = await place(engine);
    const server = await serve(engine, here);
    await sendAndWait(server.inWorkspace("org_2"), "The one that is there");
    await server.close();
    // The restore reads the current secret after it has inserted the rows, and waits there for a writer of this pipe.
    const pipe = join(here.dataDir, "secret");
    spawnSync("mkfifo", [pipe]);
    const child = spawn(process.execPath, [main, "restore", "--replace", path], {
      env: { ...environment(here), PARLANCE_SECRET: "" },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    const writer = await vi.waitFor(
      // Fails until the pipe has a reader.
      async () => await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK),
      { timeout: 15_000, interval: 20 },
    );
    expect(await isFilled(here)).toBe(true);
    child.kill("SIGKILL");
    await ended;
    await writer.close();
    await rm(pipe);
    expect(await titles(here)).toEqual(["The one that is there"]);
    await done(here, "restore", "--replace", path);
    expect(await titles(here)).toEqual(["The one that was kept"]);
    expect((await readdir(here.dataDir)).filter((name) => name.includes("restoring"))).toEqual([]);
  }, 60_000);
});

describe("backup", () => {
  test("includes the secret if it is in the data folder, and a restore keeps a different one in another file", async () => {
    const there = await place("sqlite");
    const own = { PARLANCE_SECRET: "" };
    const secret = `${"s".repeat(40)}\n`;
    await writeFile(join(there.dataDir, "secret"), secret);
    const server = await serve("sqlite", there);
    await server.close();
    const path = newPath(there);
    expect(await runCommand(there, ["backup", path], own)).toMatchObject({ code: 0, err: "" });
    const here = await place("sqlite");
    await writeFile(join(here.dataDir, "secret"), "t".repeat(40));
    const { code, err } = await runCommand(here, ["restore", path], own);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("secret.before-restore") as string,
    });
    expect(await readFile(join(here.dataDir, "secret"), "utf8")).toBe(secret);
    expect((await stat(join(here.dataDir, "secret"))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(here.dataDir, "secret.before-restore"), "utf8")).toBe("t".repeat(40));
    const link = await runCommand(here, ["owner-link"], own);
    expect(link.out).toBe((await runCommand(there, ["owner-link"], own)).out);
    expect(link.out).toMatch(/\/owner#[\w-]{32}$/m);
  });

  test("overwrites no file, and reports where it cannot write", async () => {
    const there = await place("sqlite", emptyPlace);
    const path = newPath(there);
    await refused(there, "There is no database", "backup", path);
    const server = await serve("sqlite", there);
    await done(there, "backup", path);
    await refused(there, "is there already", "backup", path);
    await refused(there, "cannot be written", "backup", join(path, "x"));
    const deep = join(there.dataDir, "backups", "nightly", "today.parlance");
    await done(there, "backup", deep);
    expect((await stat(join(there.dataDir, "backups"))).mode & 0o777).toBe(0o700);
    await server.close();
    expect(await done(there, "backup", "--verify", path)).toContain("is complete");
  });

  test("leaves no file if the disk is full", async () => {
    const there = await place("sqlite");
    const server = await serve("sqlite", there);
    const ada = server.inNewWorkspace();
    const { thread_id: threadId } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    for (let i = 0; i < 4; i++)
      await ada.call("messages.add", {
        params: { thread_id: threadId },
        body: { parent_id: null, format: "x/1", content: { noise: randomBytes(200_000).toString("base64") } },
      });
    const path = newPath(there);
    // Limits files to 100 KiB, which has the same effect as a full disk.
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", `ulimit -f 200; exec "$0" "$@"`, process.execPath, main, "backup", path],
      {
        env: environment(there),
        encoding: "utf8",
      },
    );
    expect(stderr).toContain("There is no space");
    expect(status).toBe(1);
    expect((await readdir(there.dataDir)).filter((name) => name.startsWith(basename(path)))).toEqual([]);
    await done(there, "backup", path);
  });
});

/** Whether a restore has written its rows and is not complete. */
async function isFilled(where: ServerPlace): Promise<boolean> {
  if (where.databaseUrl === undefined)
    return (await stat(join(where.dataDir, "parlance.db.restoring"))).size > 0;
  const waiting = "application_name = 'parlance restore' and state = 'idle in transaction'";
  return await rawSql(
    where,
    async (run) => (await run(`select pid from pg_stat_activity where ${waiting}`)).length > 0,
  );
}

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

function environment(where: ServerPlace): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...settingsOf(where, undefined) };
}

type Parts = { head: { migrations: string[] }; lines: string[]; rows: Record<string, number> };

/** Writes a changed archive with valid checksums. */
async function rewrite(path: string, to: string, change: (parts: Parts) => void): Promise<void> {
  const [first, ...lines] = gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split("\n");
  const { rows } = JSON.parse(lines.pop()!) as { rows: Record<string, number> };
  const parts: Parts = { head: JSON.parse(first!) as Parts["head"], lines, rows };
  change(parts);
  const text = `${[JSON.stringify(parts.head), ...parts.lines].join("\n")}\n`;
  const sha256 = createHash("sha256").update(text).digest("hex");
  await writeFile(to, gzipSync(`${text}${JSON.stringify({ end: true, rows, sha256 })}\n`, { level: 1 }));
}
