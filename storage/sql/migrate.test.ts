import { expect, test } from "vitest";
import { describeEveryEngine } from "../testing/engines.ts";
import { addMessage, addThread } from "../testing/rows.ts";
import { DatabaseTooNewError } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";
import { sql } from "./sql.ts";

describeEveryEngine("the schema", (open, engine) => {
  test("is made once, however many servers start at once", async () => {
    const place = await open.place();
    const servers = engine === "sqlite" ? 1 : 6;
    const opened = await Promise.all(Array.from({ length: servers }, () => open.at(place)));
    for (const db of opened) {
      const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db.read);
      expect(rows.map(({ name }) => name)).toEqual(Object.keys(migrations));
    }
  });

  test("takes a migration that came later than its number", async () => {
    const place = await open.place();
    const db = await open.at(place);
    await db.write(async (tx) => {
      await sql`drop table jwt_rules`.execute(tx.q);
      await sql`delete from migrations where name = '0003-access'`.execute(tx.q);
    });
    await db.close();
    const again = await open.at(place);
    expect(await again.read.selectFrom("jwt_rules").selectAll().execute()).toEqual([]);
  });

  test("keeps the reports of runs that were there before their traces", async () => {
    const place = await open.place();
    const db = await open.at(place);
    await db.write(async (tx) => {
      await addThread(tx, "t");
      await sql`
        insert into runs (id, origin, project_id, workspace_id, user_id, thread_id, state, created_at)
        values ('r', 'reported', 't', 't', 'ada', 't', 'completed', 0)
      `.execute(tx.q);
      for (const name of ["traces", "run_spans"]) await sql`drop table ${sql.table(name)}`.execute(tx.q);
      await sql`drop index run_reports_by_trace`.execute(tx.q);
      for (const name of ["service_name", "agent_name", "reported"])
        await sql`alter table run_reports drop column ${sql.ref(name)}`.execute(tx.q);
      await sql`
        insert into run_reports (run_id, thread_id, trace_id, status, tags, attributes, details)
        values ('r', 't', 'trace', 'completed', '["a"]', '{"b":1}', '{}')
      `.execute(tx.q);
      await sql`delete from migrations where name = '0009-traces'`.execute(tx.q);
    });
    await db.close();
    const again = await open.at(place);
    expect(await again.read.selectFrom("run_reports").selectAll().execute()).toMatchObject([
      { run_id: "r", thread_id: "t", trace_id: "trace", tags: '["a"]', attributes: '{"b":1}', reported: 1 },
    ]);
    const twice = again.write((tx) =>
      sql`insert into run_reports (run_id, thread_id, trace_id, status, tags, attributes, details)
        select 'r2', thread_id, trace_id, status, tags, attributes, details from run_reports`.execute(tx.q),
    );
    await expect(twice).rejects.toThrow(/unique/i);
  });

  test("of a newer version is left alone, and the error names the remedy", async () => {
    const place = await open.place();
    const db = await open.at(place);
    await db.write((tx) =>
      sql`insert into migrations (name, timestamp) values ('9999-later', '2026-01-01T00:00:00.000Z')`.execute(
        tx.q,
      ),
    );
    await db.close();
    const refusal = await open.at(place).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseTooNewError);
    expect(String(refusal)).toContain("9999-later");
    expect(String(refusal)).toContain("Start that version or a newer one, or restore a backup");
  });

  test("deletes with a thread its messages and heads, and keeps its runs", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addThread(tx, "t");
      await addMessage(tx, "t", "m1", null);
      await addMessage(tx, "t", "m2", "m1");
      await sql`insert into branch_heads values ('t', 'ada', 'm2', 0)`.execute(tx.q);
      await sql`
        insert into runs (id, origin, project_id, workspace_id, user_id, thread_id, state, created_at)
        values ('r', 'own', 't', 't', 'ada', 't', 'completed', 0)
      `.execute(tx.q);
    });
    await db.write((tx) => tx.q.deleteFrom("threads").where("id", "=", "t").execute());
    expect(await db.read.selectFrom("messages").select("id").execute()).toEqual([]);
    expect(await db.read.selectFrom("branch_heads").select("message_id").execute()).toEqual([]);
    expect(await db.read.selectFrom("runs").select(["id", "thread_id"]).execute()).toEqual([
      { id: "r", thread_id: null },
    ]);
  });

  test("lets a message go only with all that hangs below it", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addThread(tx, "t");
      await addMessage(tx, "t", "m1", null);
      await addMessage(tx, "t", "m2", "m1");
      await addMessage(tx, "t", "m3", "m2");
      await sql`insert into branch_heads values ('t', 'ada', 'm3', 0)`.execute(tx.q);
    });
    const alone = db.write((tx) => tx.q.deleteFrom("messages").where("id", "=", "m2").execute());
    await expect(alone).rejects.toThrow(/foreign key/i);
    await db.write((tx) => tx.q.deleteFrom("messages").where("id", "in", ["m2", "m3"]).execute());
    expect(await db.read.selectFrom("messages").select("id").execute()).toEqual([{ id: "m1" }]);
    expect(await db.read.selectFrom("branch_heads").select("message_id").execute()).toEqual([]);
  });

  test("takes a message's parent from its own thread only", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addThread(tx, "t");
      await addThread(tx, "u");
      await addMessage(tx, "t", "m1", null);
    });
    await expect(db.write((tx) => addMessage(tx, "u", "m2", "m1"))).rejects.toThrow(/foreign key/i);
  });
});
