import { expect, test } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { addProject } from "#storage/testing/rows.ts";
import { writeOnce } from "./write-once.ts";

/** Looks for a project and makes it where it is not there: what `writeOnce` is for. */
async function findOrMake(db: Database, id: string, between = async () => {}): Promise<"found" | "made"> {
  return await writeOnce(db, async (tx) => {
    const there = await tx.q.selectFrom("projects").select("id").where("id", "=", id).executeTakeFirst();
    if (there !== undefined) return "found";
    await between();
    await addProject(tx, id);
    return "made";
  });
}

describeEveryEngine("making something once", (open) => {
  test("finds what another made between the look and the insert", async () => {
    const db = await open();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => await findOrMake(db, "proj_0a")),
    );
    expect(outcomes.toSorted()).toEqual([...Array.from({ length: 7 }, () => "found"), "made"]);
  });

  test("passes on any other failure at once", async () => {
    const db = await open();
    let tries = 0;
    const failing = writeOnce(db, async () => {
      tries += 1;
      throw new Error("something else");
    });
    await expect(failing).rejects.toThrow("something else");
    expect(tries).toBe(1);
  });

  test("gives up in the end where it is the work itself that makes it twice", async () => {
    const db = await open();
    let tries = 0;
    const failing = writeOnce(db, async (tx) => {
      tries += 1;
      await addProject(tx, "proj_0b");
      await addProject(tx, "proj_0b");
    });
    await expect(failing).rejects.toThrow();
    expect(tries).toBe(4);
  });
});
