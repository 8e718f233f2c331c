import { expect, test } from "vitest";
import { describeEveryEngine } from "../testing/engines.ts";
import { append, lastSeq, readAfter } from "./log.ts";

const bodies = (entries: { body: string }[]): string[] => entries.map(({ body }) => body);
const seqs = (entries: { seq: number }[]): number[] => entries.map(({ seq }) => seq);

describeEveryEngine("the log", (open) => {
  test("numbers each topic's entries from 1 and returns the last number", async () => {
    const db = await open();
    const first = await db.write((tx) =>
      append(tx, [
        { topic: "run:b", bodies: ['"b1"', '"b2"'] },
        { topic: "run:a", bodies: ['"a1"'] },
        { topic: "run:b", bodies: ['"b3"'] },
        { topic: "run:none", bodies: [] },
      ]),
    );
    expect(first).toEqual(
      new Map([
        ["run:a", 1],
        ["run:b", 3],
      ]),
    );
    expect(await db.write((tx) => append(tx, [{ topic: "run:a", bodies: ['"a2"', '"a3"'] }]))).toEqual(
      new Map([["run:a", 3]]),
    );
    expect(await readAfter(db, "run:b", 0, 10)).toEqual({
      entries: [
        { seq: 1, body: '"b1"' },
        { seq: 2, body: '"b2"' },
        { seq: 3, body: '"b3"' },
      ],
      lastSeq: 3,
      prunedSeq: 0,
    });
    expect(await readAfter(db, "run:a", 1, 1)).toEqual({
      entries: [{ seq: 2, body: '"a2"' }],
      lastSeq: 3,
      prunedSeq: 0,
    });
    expect(await readAfter(db, "run:a", 3, 10)).toEqual({ entries: [], lastSeq: 3, prunedSeq: 0 });
    expect(await readAfter(db, "run:none", 0, 10)).toEqual({ entries: [], lastSeq: 0, prunedSeq: 0 });
    expect(await lastSeq(db.read, "run:b")).toBe(3);
    expect(await lastSeq(db.read, "run:none")).toBe(0);
  });

  test("reads at most a page of text, and at least one entry", async () => {
    const db = await open();
    const large = JSON.stringify("é".repeat(25 * 1024));
    await db.write((tx) =>
      append(tx, [
        { topic: "run:a", bodies: Array.from({ length: 5 }, () => large) },
        { topic: "run:b", bodies: [JSON.stringify("x".repeat(1024 * 1024)), '"b2"'] },
      ]),
    );
    expect(seqs((await readAfter(db, "run:a", 0, 10)).entries)).toEqual([1, 2]);
    expect(seqs((await readAfter(db, "run:a", 2, 10)).entries)).toEqual([3, 4]);
    expect(await readAfter(db, "run:a", 4, 10)).toMatchObject({ entries: [{ seq: 5 }], lastSeq: 5 });
    expect(seqs((await readAfter(db, "run:b", 0, 10)).entries)).toEqual([1]);
    expect(seqs((await readAfter(db, "run:b", 1, 10)).entries)).toEqual([2]);
  });

  test("appends and publishes nothing for an empty list", async () => {
    const db = await open();
    const topics = await db.write(async (tx) => {
      expect(await append(tx, [{ topic: "run:a", bodies: [] }])).toEqual(new Map());
      return tx.publishOnCommit;
    });
    expect(topics.size).toBe(0);
  });

  test("publishes after the commit, when the entry can be read", async () => {
    const db = await open();
    const heard: Promise<string[]>[] = [];
    db.pubSub.subscribe("run:a", () => {
      heard.push(readAfter(db, "run:a", 0, 10).then(({ entries }) => bodies(entries)));
    });
    await db.write(async (tx) => {
      await append(tx, [{ topic: "run:a", bodies: ['"first"'] }]);
      expect(heard).toEqual([]);
    });
    expect(await Promise.all(heard)).toEqual([['"first"']]);
  });

  test("rolls back numbers and notifications with their transaction", async () => {
    const db = await open();
    let notified = 0;
    db.pubSub.subscribe("run:a", () => notified++);
    const failing = db.write(async (tx) => {
      await append(tx, [{ topic: "run:a", bodies: ['"lost"'] }]);
      throw new Error("Ben changed his mind");
    });
    await expect(failing).rejects.toThrow("Ben changed his mind");
    expect(notified).toBe(0);
    await db.write((tx) => append(tx, [{ topic: "run:a", bodies: ['"kept"'] }]));
    expect((await readAfter(db, "run:a", 0, 10)).entries).toEqual([{ seq: 1, body: '"kept"' }]);
    expect(notified).toBe(1);
  });

  test("appends more than fits one statement", async () => {
    const db = await open();
    const big = JSON.stringify("x".repeat(3_000_000));
    await db.write((tx) => append(tx, [{ topic: "run:a", bodies: [big, big, big, '"end"'] }]));
    for (const [index, body] of [big, big, big, '"end"'].entries()) {
      const { entries } = await readAfter(db, "run:a", index, 10);
      expect(entries.length === 1 && entries[0]?.seq === index + 1 && entries[0].body === body).toBe(true);
    }
  });

  test("keeps NUL, lone surrogates and quotes in JSON text", async () => {
    const db = await open();
    const texts = ["a\0b", "\ud800", "\udfff-\ud800", '"\\u0000', "émile 😀 天气", "line\u2028end"];
    await db.write((tx) =>
      append(tx, [{ topic: "run:ü\"'\\", bodies: texts.map((text) => JSON.stringify(text)) }]),
    );
    const { entries } = await readAfter(db, "run:ü\"'\\", 0, 10);
    expect(bodies(entries).map((body) => JSON.parse(body))).toEqual(texts);
  });

  test("numbers concurrent appends to the same topics without gaps", async () => {
    const place = await open.place();
    const db = await open.at(place);
    // Several servers, where the engine allows it.
    const servers = db.engine === "sqlite" ? [db] : [db, await open.at(place), await open.at(place)];
    const topics = ["run:a", "run:b", "run:c", "workspace:w"];
    const rounds = 30;
    await Promise.all(
      servers.flatMap((server, s) =>
        Array.from({ length: 4 }, async (_, writer) => {
          for (let round = 0; round < rounds; round++) {
            // Writers name the topics in different orders.
            const order = topics.toSorted(() => ((writer + round) % 2 === 0 ? 1 : -1));
            await server.write((tx) =>
              append(
                tx,
                order.map((topic) => ({ topic, bodies: [JSON.stringify([s, writer, round])] })),
              ),
            );
          }
        }),
      ),
    );
    const total = servers.length * 4 * rounds;
    for (const topic of topics) {
      const { entries, lastSeq: last } = await readAfter(db, topic, 0, total + 1);
      expect(seqs(entries)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
      expect(last).toBe(total);
      expect(new Set(bodies(entries)).size).toBe(total);
    }
  });
});
