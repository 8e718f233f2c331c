import { expect, test } from "vitest";
import { describeEveryEngine } from "../testing/engines.ts";
import { addMigration } from "../testing/migrations.ts";
import { addMessage, addApp, addThread } from "../testing/rows.ts";
import { integer, text } from "../schema/column.ts";
import { table } from "../schema/table.ts";
import { SchemaVersionError } from "../lib/errors.ts";
import { addColumn, addIndex, createTable } from "./schema.ts";
import { migrations } from "./list.ts";
import { sql } from "../database/sql.ts";

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

  test("runs a migration whose number is lower than one that already ran", async () => {
    const place = await open.place();
    await (await open.at(place)).close();
    addMigration("0000-earlier", async (q) => {
      await sql`alter table apps add column color text`.execute(q);
    });
    const again = await open.at(place);
    const { rows } = await sql`select color from apps`.execute(again.read);
    expect(rows).toEqual([]);
  });

  test.each(["new", "old"])("gets what a later version adds once: a %s table", async (kind) => {
    const skills = table("skills", {
      columns: {
        id: text().primaryKey(),
        app_id: text().references("apps", "cascade"),
        position: integer().default(1),
        color: text<"red" | "blue">().nullable(),
      },
      indexes: { skills_in_order: { on: "app_id, position", isUnique: true, where: "color is null" } },
      backup: "in backup",
    });
    const { id, app_id } = skills.columns;
    const before = table("skills", { columns: { id, app_id }, backup: "in backup" });
    const place = await open.place();
    const db = await open.at(place);
    await db.write(async (tx) => {
      await addApp(tx, "p");
      if (kind === "old") await createTable(tx.q, engine, before);
    });
    await db.close();
    addMigration("9998-skills", async (q) => await createTable(q, engine, skills));
    addMigration("9999-colored-skills", async (q) => {
      await addColumn(q, engine, skills, "position");
      await addColumn(q, engine, skills, "color");
      await addIndex(q, engine, skills, "skills_in_order");
    });
    const later = await open.at(place);
    const add = async (skill: string) =>
      await later.write((tx) => sql`insert into skills (id, app_id) values (${skill}, 'p')`.execute(tx.q));
    await add("a");
    await expect(add("b")).rejects.toThrow(/unique/i);
    expect((await sql`select * from skills`.execute(later.read)).rows).toEqual([
      { id: "a", app_id: "p", position: 1, color: null },
    ]);
  });

  test.each([undefined, "9.8.7"])(
    "of a newer version is not changed, and the error names the version and the remedy: %s",
    async (version) => {
      const place = await open.place();
      const db = await open.at(place);
      await db.write((tx) =>
        sql`insert into migrations (name, timestamp, version)
          values ('9999-later', '2026-01-01T00:00:00.000Z', ${version ?? null})`.execute(tx.q),
      );
      await db.close();
      const refusal = await open.at(place).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SchemaVersionError);
      expect(String(refusal)).toContain("9999-later");
      expect(String(refusal)).toContain(`Start ${version ?? "that version"} or a newer one`);
      expect(String(refusal)).toContain("with the command rollback");
    },
  );

  test("of a development version from before the first release is not changed, and the error names the remedy", async () => {
    const place = await open.place();
    const db = await open.at(place);
    await db.write(async (tx) => {
      await sql`delete from migrations`.execute(tx.q);
      for (const name of ["0001-start", "0002-protocol"])
        await sql`insert into migrations (name, timestamp) values (${name}, '2026-01-01T00:00:00.000Z')`.execute(
          tx.q,
        );
    });
    await db.close();
    const refusal = await open.at(place).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SchemaVersionError);
    expect(String(refusal)).toContain("a development version from before the first release");
    expect(String(refusal)).toContain("Start with an empty database");
  });

  test("deletes with a thread its messages and heads, and keeps its runs", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addThread(tx, "t");
      await addMessage(tx, "t", "m1", null);
      await addMessage(tx, "t", "m2", "m1");
      await sql`insert into branch_heads values ('t', 'ada', 'm2', 0)`.execute(tx.q);
      await sql`
        insert into runs (id, origin, app_id, workspace_id, user_id, thread_id, state, created_at)
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

  test("deletes a message only together with all its descendants", async () => {
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
