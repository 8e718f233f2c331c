import { expect, test } from "vitest";
import type { Database } from "../database/database.ts";
import { describeEveryEngine } from "../testing/engines.ts";
import { append, readAfter } from "./log.ts";
import { dropTopics, prune, pruneOlder } from "./prune.ts";

const noon = Date.UTC(2026, 0, 31, 12);

const fill = (db: Database, topic: string, count: number, atMs: number): Promise<unknown> =>
  db.write((tx) => append(tx, [{ topic, bodies: Array.from({ length: count }, () => "1") }], atMs));

/** The first and last number that a topic still has. */
async function kept(db: Database, topic: string): Promise<string> {
  const { entries, lastSeq, prunedSeq } = await readAfter(db, topic, 0, 10_000);
  expect(entries.length).toBe(lastSeq - prunedSeq);
  return entries.length === 0 ? `none of ${lastSeq}` : `${entries[0]?.seq}-${entries.at(-1)?.seq}`;
}

describeEveryEngine("pruning", (open) => {
  test("deletes up to a number, not twice, and keeps the counter", async () => {
    const db = await open();
    await fill(db, "run:a", 5, noon);
    expect(await db.write((tx) => prune(tx, "run:a", 3))).toBe(3);
    expect(await db.write((tx) => prune(tx, "run:a", 3))).toBe(0);
    expect(await db.write((tx) => prune(tx, "run:a", 1)), "further back").toBe(0);
    expect(await kept(db, "run:a")).toBe("4-5");
    expect(await db.write((tx) => prune(tx, "run:a", 1_000)), "past the end").toBe(2);
    expect(await kept(db, "run:a")).toBe("none of 5");
    await fill(db, "run:a", 1, noon);
    expect(await kept(db, "run:a")).toBe("6-6");
    expect(await db.write((tx) => prune(tx, "run:none", 3))).toBe(0);
  });

  test("drops whole topics, and no others", async () => {
    const db = await open();
    for (const topic of ["run:a", "run:b", "run:c"]) await fill(db, topic, 2, noon);
    await db.write((tx) => dropTopics(tx, ["run:c", "run:a", "run:none"]));
    await db.write((tx) => dropTopics(tx, []));
    expect(await kept(db, "run:a")).toBe("none of 0");
    expect(await kept(db, "run:b")).toBe("1-2");
    expect(await kept(db, "run:c")).toBe("none of 0");
  });

  test("deletes any number of entries older than a time, in topics with a prefix", async () => {
    const db = await open();
    const many = Array.from({ length: 50 }, (_, i) => `run:many_${i}`);
    await fill(db, "run:old", 1_000, noon - 1);
    await fill(db, "run:both", 300, noon - 1);
    await fill(db, "run:both", 2, noon);
    await fill(db, "run:young", 2, noon);
    await fill(db, "run;not", 2, noon - 1);
    await fill(db, "ru", 2, noon - 1);
    await fill(db, "workspace:w", 2, noon - 1);
    await db.write((tx) =>
      append(
        tx,
        many.map((topic) => ({ topic, bodies: ["1"] })),
        noon - 1,
      ),
    );

    expect(await pruneOlder(db, { prefix: "run:", beforeMs: noon })).toBe(1_350);
    expect(await kept(db, "run:old")).toBe("none of 1000");
    expect(await kept(db, "run:both")).toBe("301-302");
    expect(await kept(db, "run:young")).toBe("1-2");
    for (const topic of many) expect(await kept(db, topic)).toBe("none of 1");
    for (const topic of ["run;not", "ru", "workspace:w"]) expect(await kept(db, topic)).toBe("1-2");
    expect(await pruneOlder(db, { prefix: "run:", beforeMs: noon })).toBe(0);
  });

  test("stops between batches when it is aborted", async () => {
    const db = await open();
    await fill(db, "run:old", 1_000, noon - 1);
    const stopping = new AbortController();
    const write = (...args: Parameters<Database["write"]>): ReturnType<Database["write"]> => {
      stopping.abort();
      return db.write(...args);
    };
    const stoppable = { ...db, write: write as Database["write"] };
    expect(await pruneOlder(stoppable, { prefix: "run:", beforeMs: noon, signal: stopping.signal })).toBe(
      200,
    );
    expect(await kept(db, "run:old")).toBe("201-1000");
  });
});
