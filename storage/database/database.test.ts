import { expect, test } from "vitest";
import { describeEveryEngine } from "../testing/engines.ts";
import { addApp } from "../testing/rows.ts";
import { jsonElements, forUpdate, isUniqueViolation } from "./portable-sql.ts";
import { sql } from "./sql.ts";

describeEveryEngine("a database", (open) => {
  test("shows a write to a read that starts after it", async () => {
    const db = await open();
    for (let i = 0; i < 20; i++) {
      await db.write((tx) => addApp(tx, `proj_${i}`));
      const { count } = await db.read
        .selectFrom("apps")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      expect(count).toBe(i + 1);
    }
  });

  test("lets reads run during a transaction, whose changes they do not see", async () => {
    const db = await open();
    const written = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    const writing = db.write(async (tx) => {
      await addApp(tx, "proj_a");
      written.resolve();
      await seen.promise;
    });
    await written.promise;
    expect(await db.read.selectFrom("apps").select("id").execute()).toEqual([]);
    seen.resolve();
    await writing;
    expect(await db.read.selectFrom("apps").select("id").execute()).toEqual([{ id: "proj_a" }]);
  });

  test("runs writeFirst ahead of waiting writes, and each kind in order", async () => {
    const db = await open();
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const order: string[] = [];
    const note = (name: string) => async () => void order.push(name);
    const under = db.write(async () => {
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    const all = [
      ...["a", "b"].map(async (name) => await db.write(note(name))),
      ...["first", "second"].map(async (name) => await db.writeFirst(note(name))),
    ];
    held.resolve();
    await Promise.all([under, ...all]);
    if (db.engine === "sqlite") expect(order).toEqual(["first", "second", "a", "b"]);
    else expect(order.toSorted()).toEqual(["a", "b", "first", "second"]);
    await expect(db.writeFirst(async () => await Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await db.writeFirst(async () => "done")).toBe("done");
  });

  test("returns the result of the work, and rolls back work that fails", async () => {
    const db = await open();
    expect(await db.write(async () => "done")).toBe("done");
    const failing = db.write(async (tx) => {
      await addApp(tx, "proj_a");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await db.read.selectFrom("apps").select("id").execute()).toEqual([]);
  });

  test("a failed statement aborts its transaction, even if its error is swallowed", async () => {
    const db = await open();
    const spoilt = db.write(async (tx) => {
      await addApp(tx, "proj_a");
      await addApp(tx, "proj_a").catch(() => {});
      await expect(addApp(tx, "proj_b")).rejects.toThrow(/earlier statement|aborted/);
    });
    await expect(spoilt).rejects.toThrow(/UNIQUE|abort/);
    expect(await db.read.selectFrom("apps").select("id").execute()).toEqual([]);
    await db.write((tx) => addApp(tx, "proj_c"));
  });

  test("distinguishes unique violations from other errors", async () => {
    const db = await open();
    await db.write((tx) => addApp(tx, "proj_a"));
    const twice = await db.write((tx) => addApp(tx, "proj_a")).catch((error: unknown) => error);
    expect(isUniqueViolation(twice)).toBe(true);
    const absent = await db
      .write((tx) => sql`insert into apps (id) values ('x')`.execute(tx.q))
      .catch((error: unknown) => error);
    expect(absent).toBeInstanceOf(Error);
    expect(isUniqueViolation(absent)).toBe(false);
    expect(isUniqueViolation(undefined)).toBe(false);
  });

  test("refuses work that uses the database outside its transaction", async () => {
    const db = await open();
    const refusal = "A transaction's work may use the database through its tx only.";
    await expect(db.write(() => db.write(async () => {}))).rejects.toThrow(refusal);
    await expect(db.write(() => db.read.selectFrom("apps").selectAll().execute())).rejects.toThrow(refusal);
    await db.write((tx) => addApp(tx, "proj_a"));
  });

  test("refuses to write or begin a transaction through read", async () => {
    const db = await open();
    await expect(db.read.deleteFrom("apps").execute()).rejects.toThrow("Write in a transaction");
    await expect(db.read.transaction().execute(async () => {})).rejects.toThrow(
      "begun by the database's write",
    );
  });

  test("does not allow using a transaction after its end", async () => {
    const db = await open();
    const late = await db.write(async (tx) => tx);
    await expect(addApp(late, "proj_a")).rejects.toThrow("already committed");
  });

  test("compares ids bytewise", async () => {
    const db = await open();
    const bytewise = ["A", "Z", "_0", "a", "a0", "aA", "a_", "aa", "z", "zz", "é", "ｱ", "😀"];
    await db.write(async (tx) => {
      for (const id of bytewise.toReversed()) await addApp(tx, id);
    });
    const ids = await db.read.selectFrom("apps").select("id").orderBy("id").execute();
    expect(ids.map(({ id }) => id)).toEqual(bytewise);
    const behind = await db.read
      .selectFrom("apps")
      .select("id")
      .where("id", ">", "a_")
      .orderBy("id")
      .execute();
    expect(behind.map(({ id }) => id)).toEqual(bytewise.slice(7));
  });

  test("returns counts and sums as numbers", async () => {
    const db = await open();
    await db.write(async (tx) => {
      await addApp(tx, "proj_a", 1_764_000_000_000);
      await addApp(tx, "proj_b", 1_764_000_000_001);
    });
    const row = await db.read
      .selectFrom("apps")
      .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.sum<number>("created_at").as("sum")])
      .executeTakeFirstOrThrow();
    expect({ ...row }).toEqual({ count: 2, sum: 3_528_000_000_001 });
    const large = db.read
      .selectFrom("apps")
      .select(sql<number>`max(9007199254740993)`.as("large"))
      .execute();
    await expect(large, "never a wrong number").rejects.toThrow(/too large/);
  });

  test("accepts a list of any length as one parameter", async () => {
    const db = await open();
    const list = Array.from({ length: 50_000 }, (_, i) => [`id ${i}`, i]);
    const sum = await db.write(async (tx) => {
      const { rows } = await sql<{ sum: number }>`
        select sum(cast(value->>1 as bigint)) as sum from ${jsonElements(tx, list)} where value->>0 <> 'id 0'
      `.execute(tx.q);
      return rows[0]?.sum;
    });
    expect(sum).toBe((50_000 * 49_999) / 2);
  });

  test("locks the rows that are read for an update", async () => {
    const db = await open();
    await db.write((tx) => addApp(tx, "proj_a", 0));
    await Promise.all(
      Array.from({ length: 10 }, () =>
        db.write(async (tx) => {
          const held = forUpdate(tx, tx.q.selectFrom("apps").select("created_at").where("id", "=", "proj_a"));
          const { created_at: count } = await held.executeTakeFirstOrThrow();
          await tx.q
            .updateTable("apps")
            .set({ created_at: count + 1 })
            .execute();
        }),
      ),
    );
    expect(await db.read.selectFrom("apps").select("created_at").execute()).toEqual([{ created_at: 10 }]);
  });

  test("waits for running transactions when it closes, and refuses new ones", async () => {
    const place = await open.place();
    const db = await open.at(place);
    const writing = db.write((tx) => addApp(tx, "proj_a"));
    await Promise.all([db.close(), db.close()]);
    await writing;
    await expect(db.write(async () => {})).rejects.toThrow("closed");
    const again = await open.at(place);
    expect(await again.read.selectFrom("apps").select("id").execute()).toEqual([{ id: "proj_a" }]);
  });
});
