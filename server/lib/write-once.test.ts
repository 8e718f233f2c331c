import { expect, test } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { addApp } from "#storage/testing/rows.ts";
import { writeOnce } from "./write-once.ts";

/** Finds an app or creates it: a typical use of `writeOnce`. */
async function findOrCreate(db: Database, id: string, between = async () => {}): Promise<"found" | "made"> {
  return await writeOnce(db, async (tx) => {
    const there = await tx.q.selectFrom("apps").select("id").where("id", "=", id).executeTakeFirst();
    if (there !== undefined) return "found";
    await between();
    await addApp(tx, id);
    return "made";
  });
}

describeEveryEngine("creating a row once", (open) => {
  test("finds what another transaction created between the read and the insert", async () => {
    const db = await open();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => await findOrCreate(db, "proj_0a")),
    );
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 7 }, () => "found"), "made"]);
  });

  test("throws any other error at once", async () => {
    const db = await open();
    let tries = 0;
    const failing = writeOnce(db, async () => {
      tries += 1;
      throw new Error("something else");
    });
    await expect(failing).rejects.toThrow("something else");
    expect(tries).toBe(1);
  });

  test("gives up if the work itself creates the row twice", async () => {
    const db = await open();
    let tries = 0;
    const failing = writeOnce(db, async (tx) => {
      tries += 1;
      await addApp(tx, "proj_0b");
      await addApp(tx, "proj_0b");
    });
    await expect(failing).rejects.toThrow();
    expect(tries).toBe(4);
  });
});
