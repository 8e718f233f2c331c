import { describe, expect, test, vi } from "vitest";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { newPlace, startTestServer, type ServerPlace } from "../support/servers/server.ts";
import { sendAndWait, textOf } from "../support/clients/conversation.ts";

const hourMs = 3_600_000;
/** 40 blocks of 64 KiB. */
const question = "tokens=40\nhuge";

async function logRows(place: ServerPlace): Promise<number> {
  return await rawSql(place, async (run) => {
    const [row] = await run("select count(*) as n from log_entries where topic like 'run:%'");
    return Number(row?.n);
  });
}

/** The free pages in SQLite's file. */
async function freeBytes(place: ServerPlace): Promise<number> {
  return await rawSql(place, async (run) => {
    const [pages] = await run("pragma freelist_count");
    const [size] = await run("pragma page_size");
    return Number(pages?.freelist_count) * Number(size?.page_size);
  });
}

describe.each(engines)("the logs of answers (%s)", (engine) => {
  test("are deleted when they are old, and their space is used again", { timeout: 90_000 }, async () => {
    const place = await newPlace(engine);
    const server = await startTestServer({ engine, place, model: true });
    // More than one are for the space in SQLite's file.
    const rounds = engine === "sqlite" ? 3 : 1;
    try {
      const ada = server.inNewWorkspace();
      const free: number[] = [];
      let textBytes = 0;
      for (let round = 0; round < rounds; round++) {
        for (let n = 0; n < 2; n++)
          textBytes += textOf((await sendAndWait(ada, question)).reply.parts).length;
        expect(await logRows(place)).toBeGreaterThan(0);
        await vi.waitFor(
          async () => {
            server.clock.advance(2 * hourMs);
            expect(await logRows(place)).toBe(0);
          },
          { timeout: 15_000, interval: 50 },
        );
        if (engine === "sqlite") free.push(await freeBytes(place));
      }
      if (engine === "sqlite") {
        // Each round uses the space of the round before. Otherwise three times as much would be free.
        const roundBytes = textBytes / rounds;
        expect(free[0]).toBeGreaterThan(0.9 * roundBytes);
        expect(free.at(-1)).toBeLessThan(2 * roundBytes);
      }
    } finally {
      await server.close();
      await place.remove();
    }
  });
});
