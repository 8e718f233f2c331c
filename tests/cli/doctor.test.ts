import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { runCommand } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { editDatabase, examine } from "../support/servers/doctor.ts";
import { newPlace, startTestServer, type ServerPlace } from "../support/servers/server.ts";
import {
  branchOf,
  startRun,
  sendAndWait,
  waitForFirstWord,
  type StartedRun,
  below,
} from "../support/clients/conversation.ts";

const nowMs = Date.now();
const yearMs = 365 * 24 * 3_600_000;

const set = (table: string, change: string, id: string) => `update ${table} set ${change} where id = '${id}'`;

describe.each(engines)("the doctor (%s)", (engine) => {
  let where: ServerPlace;
  let first: StartedRun;
  let second: StartedRun;
  beforeAll(async () => {
    where = await newPlace(engine);
    const server = await startTestServer({ engine, place: where, model: true });
    await server.anonymous().then(async (who) => await who.call("threads.list"));
    const ada = server.inWorkspace("org_ada");
    first = await sendAndWait(ada, "One. tokens=3");
    second = await sendAndWait(ada, "Two. tokens=3", below(first));
    await server.close();
    await server.model.close();
  });
  afterAll(async () => await where.remove());

  test("finds nothing in an intact database, and lists its checks", async () => {
    const { code, out, err } = await runCommand(where, ["doctor"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^No problems found\. Checked: version, database, parents, heights,/);
    expect(await examine(where)).toMatchObject({ code: 0, faults: [], notes: [] });
  });

  const queued = (id: string, parentId: string): string =>
    `insert into queued_messages (id, thread_id, parent_id, position, content, model, run_id, reply_id, request_hash, created_by, created_at, updated_at)
     values ('${id}', '<first.thread_id>', '${parentId}', 1, '{}', 'm', 'run_waiting', 'msg_reply', '', 'user_ada', 1, 1)`;
  const run = "where id = '<first.run_id>'";
  const held = `lease_owner = {'x'|null}, lease_expires_at = {${nowMs}|null}`;
  const running = `state = {'running'|'completed'}, ended_at = {null|${nowMs}}`;
  const workspaceOf = "(select workspace_id from threads where id = '<first.thread_id>')";

  /**
   * What is broken, the check that names it, what it names, and the statements. `{a|b}` is `a` to break it and `b` to mend it.
   * The last field mends what a statement inserts. `<first.run_id>` is the id of the first answer's run.
   */
  const cases: [what: string, check: string, names: string, statements: string[], mends?: string][] = [
    ["a height", "heights", "<second.reply_id>", [set("messages", "height = {7|3}", "<second.reply_id>")]],
    [
      "an owner who is no administrator",
      "owners",
      `usr_0${"0".repeat(24)}`,
      ["update users set kind = {'member'|'admin'} where is_owner = 1"],
    ],
    [
      "threads of a guest who signed in",
      "guests",
      "<first.thread_id>",
      [
        `insert into users (id, kind, workspace_id, created_at, last_seen_at, merged_into)
         select 'usr_anon_gone', 'anonymous', workspace_id, 1, 1, 'usr_0' from threads where id = '<first.thread_id>'`,
      ],
      "delete from users where id = 'usr_anon_gone'",
    ],
    [
      "a size",
      "sizes",
      "<first.thread_id>",
      [set("threads", "text_bytes = text_bytes {+|-} 7", "<first.thread_id>")],
    ],
    [
      "a parent that is gone",
      "parents",
      "<second.message_id>",
      [set("messages", "parent_id = {'msg_nowhere'|'<first.reply_id>'}", "<second.message_id>")],
    ],
    [
      "a circle of parents",
      "cycles",
      "<first.message_id>",
      [set("messages", "parent_id = {'<second.reply_id>'|null}", "<first.message_id>")],
    ],
    [
      "a thread that is gone",
      "threads",
      "<second.reply_id>",
      [set("messages", "thread_id = {'thread_nowhere'|'<first.thread_id>'}", "<second.reply_id>")],
    ],
    [
      "a workspace that is gone",
      "workspaces",
      "<first.thread_id>",
      [`update workspaces set id = {'ws_moved'|${workspaceOf}} where id = {${workspaceOf}|'ws_moved'}`],
    ],
    [
      "a branch that ends nowhere",
      "branches",
      "<first.thread_id>",
      [
        "update branch_heads set message_id = {'msg_nowhere'|'<second.reply_id>'} where thread_id = '<first.thread_id>' and user_id = 'user_ada'",
      ],
    ],
    [
      "a reply that nobody writes",
      "replies",
      "<first.reply_id>",
      [set("messages", "status = {'running'|'complete'}", "<first.reply_id>")],
    ],
    ["a run of a finished reply", "runs", "<first.run_id>", [`update runs set ${running}, ${held} ${run}`]],
    [
      "a state without an end",
      "states",
      "<first.run_id>",
      [`update runs set ended_at = {null|${nowMs}} ${run}`],
    ],
    [
      "a run that nobody holds",
      "leases",
      "<first.run_id>",
      [
        `update runs set ${running} ${run}`,
        set("messages", "status = {'running'|'complete'}", "<first.reply_id>"),
      ],
    ],
    ["a lease of a run that ended", "leases", "<first.run_id>", [`update runs set ${held} ${run}`]],
    [
      "a queued message that was said already",
      "queue",
      "<second.message_id>",
      [queued("<second.message_id>", "<first.reply_id>")],
      "delete from queued_messages",
    ],
    [
      "a queued message behind nothing",
      "queue",
      "msg_waiting",
      [queued("msg_waiting", "msg_nowhere")],
      "delete from queued_messages",
    ],
    [
      "a gap in a log",
      "logs",
      "run:<first.run_id>",
      ["update log_entries set seq = {1000|2} where topic = 'run:<first.run_id>' and seq = {2|1000}"],
    ],
    [
      "a counter that is behind",
      "logs",
      "run:<first.run_id>",
      ["update log_topics set last_seq = last_seq {-|+} 1 where topic = 'run:<first.run_id>'"],
    ],
    [
      "entries of no log",
      "logs",
      "run:x",
      ["insert into log_entries (topic, seq, body, created_at) values ('run:x', 1, '{}', 1)"],
      "delete from log_entries where topic = 'run:x'",
    ],
    [
      "a log of no run",
      "logs",
      "run:y",
      ["insert into log_topics (topic, last_seq, pruned_seq) values ('run:y', 0, 0)"],
      "delete from log_topics where topic = 'run:y'",
    ],
    [
      "a session of nobody",
      "sessions",
      "s_nobody",
      [
        "insert into sessions (id, token_hash, user_id, created_at, expires_at) values ('s_nobody', 'h', 'usr_nobody', 1, 2)",
      ],
      "delete from sessions where id = 's_nobody'",
    ],
    [
      "a user without a workspace",
      "users",
      "usr_x",
      [
        "insert into users (id, kind, workspace_id, created_at, last_seen_at) values ('usr_x', 'member', 'ws_nowhere', 1, 1)",
      ],
      "delete from users where id = 'usr_x'",
    ],
    [
      "a message of next year",
      "clock",
      "<second.reply_id>",
      [set("messages", `created_at = created_at {+|-} ${yearMs}`, "<second.reply_id>")],
    ],
  ];

  /** A text of a case with the ids of the answers, and what breaks or mends. */
  const filled = (text: string, to: "break" | "mend" = "break") =>
    text
      .replaceAll(/\{([^{}|]*)\|([^{}|]*)\}/g, to === "break" ? "$1" : "$2")
      .replaceAll(
        /<(first|second)\.(\w+)>/g,
        (_, answer: "first" | "second", field: Exclude<keyof StartedRun, "queued">) =>
          ({ first, second })[answer][field],
      );

  test.for(cases)("names %s, and the row that it is about", async ([, check, named, statements, mends]) => {
    const names = filled(named);
    await editDatabase(
      engine,
      where,
      statements.map((statement) => filled(statement)),
    );
    try {
      const { code, faults } = await examine(where);
      expect(code).toBe(1);
      expect(
        faults.filter((fault) => fault.check === check && fault.ids.includes(names)),
        JSON.stringify(faults),
      ).not.toEqual([]);
      for (const { remedy, count } of faults) {
        expect(remedy).not.toBe("");
        expect(count).toBeGreaterThan(0);
      }
      const people = await runCommand(where, ["doctor"]);
      expect(people.out).toContain(`  ${names}`);
      expect(people.err).toMatch(/problems?\.$/m);
    } finally {
      const mending =
        mends === undefined ? statements.map((statement) => filled(statement, "mend")) : [mends];
      await editDatabase(engine, where, mending);
    }
    expect(await examine(where)).toMatchObject({ code: 0, faults: [] });
  });

  test("reports a missing migration, and checks nothing else", async () => {
    addMigration("9999-later", async () => {});
    const { code, checks, faults } = await examine(where);
    expect(code).toBe(1);
    expect(checks).not.toContain("database");
    expect(faults).toMatchObject([{ check: "version", ids: ["9999-later"] }]);
    expect((await runCommand(where, ["doctor"])).out).toContain("  9999-later");
  });

  test("finds every reference to a missing row", async () => {
    await editDatabase(engine, where, [
      "insert into api_keys (id, key_hash, prefix, app_id, name, created_at) values ('key_x', 'h', 'p', 'proj_nowhere', 'n', 1)",
    ]);
    const { code, faults } = await examine(where);
    await editDatabase(engine, where, ["delete from api_keys where id = 'key_x'"]);
    expect(code).toBe(1);
    expect(faults.map(({ check, ids }) => `${check} ${ids.join(" ")}`).join("\n")).toMatch(
      /^database .*api_keys/,
    );
  });

  test("only notes an answer that a server will end", async () => {
    const run = `where id = '${first.run_id}'`;
    await editDatabase(engine, where, [
      `update runs set state = 'running', ended_at = null, lease_owner = 'dead', lease_expires_at = 1 ${run}`,
      `update messages set status = 'running' where id = '${first.reply_id}'`,
    ]);
    const { code, faults, notes } = await examine(where);
    await editDatabase(engine, where, [
      `update runs set state = 'completed', ended_at = ${nowMs}, lease_owner = null, lease_expires_at = null ${run}`,
      `update messages set status = 'complete' where id = '${first.reply_id}'`,
    ]);
    expect({ code, faults }).toEqual({ code: 0, faults: [] });
    expect(notes).toMatchObject([{ check: "leases", ids: [first.run_id] }]);
  });

  test("repairs what it can without loss, if requested", async () => {
    await editDatabase(engine, where, [
      `update messages set height = height + 5 where thread_id = '${first.thread_id}'`,
      `update threads set text_bytes = text_bytes + 7 where id = '${first.thread_id}'`,
      `update messages set status = 'running' where id = '${first.reply_id}'`,
      `update runs set lease_owner = 'x', lease_expires_at = 1 where id = '${second.run_id}'`,
      `update log_topics set last_seq = 1 where topic = 'run:${second.run_id}'`,
      "insert into log_topics (topic, last_seq, pruned_seq) values ('run:z', 1, 0)",
      "insert into log_entries (topic, seq, body, created_at) values ('run:z', 1, '{}', 1)",
    ]);
    const before = await examine(where);
    expect(new Set(before.faults.map(({ check }) => check))).toEqual(
      new Set(["heights", "sizes", "replies", "leases", "logs"]),
    );
    expect(await examine(where)).toEqual(before);
    const { code, out, err } = await runCommand(where, ["doctor", "--repair"]);
    expect({ code, out }, err).toMatchObject({
      code: 0,
      out: expect.stringContaining("No problems found") as string,
    });
    expect(err).toContain("heights corrected: 4");
    expect(err).toContain("sizes corrected: 1");
    const server = await startTestServer({ engine, place: where });
    const ada = server.inWorkspace("org_ada");
    expect((await branchOf(ada, first.thread_id)).map(({ id }) => id)).toEqual([
      first.message_id,
      first.reply_id,
      second.message_id,
      second.reply_id,
    ]);
    await server.close();
    expect(server.log.takeErrors()).toEqual([]);
  });
});

test.for(engines)(
  "the doctor finds no faults beside a server under load (%s)",
  { timeout: 60_000 },
  async (engine) => {
    const where = await newPlace(engine);
    const server = await startTestServer({ engine, place: where, model: true });
    try {
      const ada = server.inWorkspace("org_load");
      const talks = await Promise.all(
        Array.from({ length: 20 }, async () => await startRun(ada, "A long one. tokens=2000 gap=20")),
      );
      for (const talk of talks) (await waitForFirstWord(ada, talk.run_id)).stream.close();
      for (let round = 0; round < 3; round++) {
        await sendAndWait(ada, "Meanwhile. tokens=2", { thread_id: newId("thread") });
        expect(await examine(where)).toMatchObject({ code: 0, faults: [], notes: [] });
      }
      if (engine === "sqlite")
        expect(await runCommand(where, ["doctor", "--repair"])).toMatchObject({ code: 1, out: "" });
      for (const { run_id: runId } of talks) await ada.call("runs.stop", { params: { run_id: runId } });
    } finally {
      await server.close();
      await server.model.close();
      await where.remove();
    }
  },
);
