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
} from "../support/clients/conversation.ts";

type Broken = {
  check: string;
  break: string[];
  /** The reported id, or a part of the text if it is not the id of a row. */
  names: string;
  fix: string[];
};

const nowMs = Date.now();
const yearMs = 365 * 24 * 3_600_000;

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
    second = await sendAndWait(ada, "Two. tokens=3", {
      thread_id: first.thread_id,
      parent_id: first.reply_id,
    });
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
     values ('${id}', '${first.thread_id}', '${parentId}', 1, '{}', 'm', 'run_waiting', 'msg_reply', '', 'user_ada', 1, 1)`;

  const cases: [string, () => Broken][] = [
    [
      "a height",
      () => ({
        check: "heights",
        break: [`update messages set height = 7 where id = '${second.reply_id}'`],
        names: second.reply_id,
        fix: [`update messages set height = 3 where id = '${second.reply_id}'`],
      }),
    ],
    [
      "an owner who is no administrator",
      () => ({
        check: "owners",
        break: ["update users set kind = 'member' where is_owner = 1"],
        names: `usr_0${"0".repeat(24)}`,
        fix: ["update users set kind = 'admin' where is_owner = 1"],
      }),
    ],
    [
      "threads of a guest who signed in",
      () => ({
        check: "guests",
        break: [
          `insert into users (id, kind, workspace_id, created_at, last_seen_at, merged_into)
           select 'usr_anon_gone', 'anonymous', workspace_id, 1, 1, 'usr_0' from threads where id = '${first.thread_id}'`,
        ],
        names: first.thread_id,
        fix: ["delete from users where id = 'usr_anon_gone'"],
      }),
    ],
    [
      "a size",
      () => ({
        check: "sizes",
        break: [`update threads set text_bytes = text_bytes + 7 where id = '${first.thread_id}'`],
        names: first.thread_id,
        fix: [`update threads set text_bytes = text_bytes - 7 where id = '${first.thread_id}'`],
      }),
    ],
    [
      "a parent that is gone",
      () => ({
        check: "parents",
        break: [`update messages set parent_id = 'msg_nowhere' where id = '${second.message_id}'`],
        names: second.message_id,
        fix: [`update messages set parent_id = '${first.reply_id}' where id = '${second.message_id}'`],
      }),
    ],
    [
      "a circle of parents",
      () => ({
        check: "cycles",
        break: [`update messages set parent_id = '${second.reply_id}' where id = '${first.message_id}'`],
        names: first.message_id,
        fix: [`update messages set parent_id = null where id = '${first.message_id}'`],
      }),
    ],
    [
      "a thread that is gone",
      () => ({
        check: "threads",
        break: [`update messages set thread_id = 'thread_nowhere' where id = '${second.reply_id}'`],
        names: second.reply_id,
        fix: [`update messages set thread_id = '${first.thread_id}' where id = '${second.reply_id}'`],
      }),
    ],
    [
      "a workspace that is gone",
      () => ({
        check: "workspaces",
        break: [
          `update workspaces set id = 'ws_moved' where id = (select workspace_id from threads where id = '${first.thread_id}')`,
        ],
        names: first.thread_id,
        fix: [
          `update workspaces set id = (select workspace_id from threads where id = '${first.thread_id}') where id = 'ws_moved'`,
        ],
      }),
    ],
    [
      "a branch that ends nowhere",
      () => ({
        check: "branches",
        break: [
          `update branch_heads set message_id = 'msg_nowhere' where thread_id = '${first.thread_id}' and user_id = 'user_ada'`,
        ],
        names: first.thread_id,
        fix: [
          `update branch_heads set message_id = '${second.reply_id}' where thread_id = '${first.thread_id}' and user_id = 'user_ada'`,
        ],
      }),
    ],
    [
      "a reply that nobody writes",
      () => ({
        check: "replies",
        break: [`update messages set status = 'running' where id = '${first.reply_id}'`],
        names: first.reply_id,
        fix: [`update messages set status = 'complete' where id = '${first.reply_id}'`],
      }),
    ],
    [
      "a run of a finished reply",
      () => ({
        check: "runs",
        break: [
          `update runs set state = 'running', ended_at = null, lease_owner = 'x', lease_expires_at = ${nowMs} where id = '${first.run_id}'`,
        ],
        names: first.run_id,
        fix: [
          `update runs set state = 'completed', ended_at = ${nowMs}, lease_owner = null, lease_expires_at = null where id = '${first.run_id}'`,
        ],
      }),
    ],
    [
      "a state without an end",
      () => ({
        check: "states",
        break: [`update runs set ended_at = null where id = '${first.run_id}'`],
        names: first.run_id,
        fix: [`update runs set ended_at = ${nowMs} where id = '${first.run_id}'`],
      }),
    ],
    [
      "a run that nobody holds",
      () => ({
        check: "leases",
        break: [
          `update runs set state = 'running', ended_at = null where id = '${first.run_id}'`,
          `update messages set status = 'running' where id = '${first.reply_id}'`,
        ],
        names: first.run_id,
        fix: [
          `update runs set state = 'completed', ended_at = ${nowMs} where id = '${first.run_id}'`,
          `update messages set status = 'complete' where id = '${first.reply_id}'`,
        ],
      }),
    ],
    [
      "a lease of a run that ended",
      () => ({
        check: "leases",
        break: [`update runs set lease_owner = 'x', lease_expires_at = 1 where id = '${first.run_id}'`],
        names: first.run_id,
        fix: [`update runs set lease_owner = null, lease_expires_at = null where id = '${first.run_id}'`],
      }),
    ],
    [
      "a queued message that was said already",
      () => ({
        check: "queue",
        break: [queued(second.message_id, first.reply_id)],
        names: second.message_id,
        fix: ["delete from queued_messages"],
      }),
    ],
    [
      "a queued message behind nothing",
      () => ({
        check: "queue",
        break: [queued("msg_waiting", "msg_nowhere")],
        names: "msg_waiting",
        fix: ["delete from queued_messages"],
      }),
    ],
    [
      "a gap in a log",
      () => ({
        check: "logs",
        break: [`update log_entries set seq = 1000 where topic = 'run:${first.run_id}' and seq = 2`],
        names: `run:${first.run_id}`,
        fix: [`update log_entries set seq = 2 where topic = 'run:${first.run_id}' and seq = 1000`],
      }),
    ],
    [
      "a counter that is behind",
      () => ({
        check: "logs",
        break: [`update log_topics set last_seq = last_seq - 1 where topic = 'run:${first.run_id}'`],
        names: `run:${first.run_id}`,
        fix: [`update log_topics set last_seq = last_seq + 1 where topic = 'run:${first.run_id}'`],
      }),
    ],
    [
      "entries of no log",
      () => ({
        check: "logs",
        break: ["insert into log_entries (topic, seq, body, created_at) values ('run:x', 1, '{}', 1)"],
        names: "run:x",
        fix: ["delete from log_entries where topic = 'run:x'"],
      }),
    ],
    [
      "a log of no run",
      () => ({
        check: "logs",
        break: ["insert into log_topics (topic, last_seq, pruned_seq) values ('run:y', 0, 0)"],
        names: "run:y",
        fix: ["delete from log_topics where topic = 'run:y'"],
      }),
    ],
    [
      "a session of nobody",
      () => ({
        check: "sessions",
        break: [
          "insert into sessions (id, token_hash, user_id, created_at, expires_at) values ('s_nobody', 'h', 'usr_nobody', 1, 2)",
        ],
        names: "s_nobody",
        fix: ["delete from sessions where id = 's_nobody'"],
      }),
    ],
    [
      "a user without a workspace",
      () => ({
        check: "users",
        break: [
          "insert into users (id, kind, workspace_id, created_at, last_seen_at) values ('usr_x', 'member', 'ws_nowhere', 1, 1)",
        ],
        names: "usr_x",
        fix: ["delete from users where id = 'usr_x'"],
      }),
    ],
    [
      "a message of next year",
      () => ({
        check: "clock",
        break: [`update messages set created_at = created_at + ${yearMs} where id = '${second.reply_id}'`],
        names: second.reply_id,
        fix: [`update messages set created_at = created_at - ${yearMs} where id = '${second.reply_id}'`],
      }),
    ],
  ];

  test.for(cases)("names %s, and the row that it is about", async ([, broken]) => {
    const { check, break: broke, names, fix } = broken();
    await editDatabase(engine, where, broke);
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
      await editDatabase(engine, where, fix);
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
