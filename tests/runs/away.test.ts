import { afterEach, describe, expect, test } from "vitest";
import { createCuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { engines } from "../support/postgres.ts";
import { newPlace, startTestServer } from "../support/server.ts";
import { eventsOf, say } from "../support/talk.ts";

describe.runIf(engines.includes("postgres"))("a database that is away", () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
  });

  test("when an answer wants to read what was said before makes it wait, not fail", async () => {
    const place = await newPlace("postgres");
    undo.push(place.remove);
    const proxy = await createCuttableProxy(place.databaseUrl!);
    undo.push(proxy.close);
    const server = await startTestServer({
      engine: "postgres",
      place: { ...place, databaseUrl: proxy.url },
      model: true,
    });
    undo.push(server.close);
    const ada = server.inNewWorkspace();
    let cuts = 0;
    proxy.onSent = (data) => {
      const isHistory = data.includes("with recursive") && cuts < 3;
      if (isHistory) cuts += 1;
      return isHistory ? "cut-before" : "pass";
    };
    const talk = await say(ada, "tokens=3");
    const events = eventsOf(await (await ada.events(talk.run_id)).rest());
    expect(cuts).toBe(3);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    server.log.takeErrors();
  });
});
