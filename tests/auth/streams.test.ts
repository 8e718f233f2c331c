import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import { apiKey, people, userMessage } from "#fixtures/people.ts";
import type { EventStream } from "../support/event-stream.ts";
import { engines } from "../support/postgres.ts";
import {
  describeServer,
  newPlace,
  startTestServer,
  type EngineName,
  type TestServer,
} from "../support/server.ts";
import { startRun, waitForFirstWord } from "../support/conversation.ts";
import { bearer, keyHeaders, newAddress, signUp, visitor, type Visitor } from "../support/visitor.ts";

const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };

/** A browser's own session, whoever serves it. */
async function openSession(url: string) {
  const headers = { ...ownPage, ...newAddress() };
  const opened = await fetch(`${url}/v1/auth/session`, { method: "POST", headers, body: "{}" });
  expect(opened.status).toBe(200);
  const Cookie = opened.headers.get("set-cookie")!.split(";")[0]!;
  const on = (server: { url: string }): Visitor => visitor(server.url, "somebody", { ...ownPage, Cookie });
  return {
    on,
    close: async (server: { url: string }) => await on(server).send("DELETE", "/v1/auth/session"),
  };
}

/** A feed whose first word has come: from here on its reader is only waiting. */
async function waitingFeed(who: Visitor): Promise<EventStream<LiveMessage>> {
  const feed = await who.live();
  expect((await feed.next()).value?.data).toMatchObject({ type: "hello" });
  return feed;
}

// A heartbeat of an hour: what ends a stream here is heard of, not looked for.
describeServer("an open stream", { model: true, heartbeatMs: 3_600_000 }, (server) => {
  test("ends when its session is closed, whatever it was following", async () => {
    const session = await openSession(server().url);
    const me = session.on(server());
    const feed = await waitingFeed(me);
    const talk = await startRun(me, "Long\nendless gap=5");
    const { stream } = await waitForFirstWord(me, talk.run_id);
    expect((await session.close(server())).status).toBe(200);
    // Read to their ends: they would wait for ever, did they go on.
    await feed.rest();
    expect((await stream.rest()).map(({ data }) => data.type)).not.toContain("run-end");
    expect((await me.ask("threads.list")).status).toBe(401);
  });

  test("ends when its user is erased, and those of others go on", async () => {
    const tokens = await signUp(server().url);
    const dan = server().withToken(tokens.access_token);
    const eve = await server().anonymous("eve");
    const [dans, eves] = [await waitingFeed(dan), await waitingFeed(eve)];
    const { user_id } = await dan.call("auth.me");
    await server().person("ada").call("projects.eraseUser", { params: { user_id } });
    await dans.rest();
    const { thread_id } = await eve.call("threads.create", {
      body: { last_message_at: "2020-01-01T00:00:00Z" },
    });
    expect((await eves.next()).value?.data).toMatchObject({ change: { thread: { id: thread_id } } });
    eves.close();
  });

  test("is cut when a protocol client's session is closed in mid-answer, so that nobody takes the part for the whole", async () => {
    const session = await openSession(server().url);
    const me = session.on(server());
    const response = await fetch(`${me.url}/v1/runs/stream`, {
      method: "POST",
      headers: { ...me.headers, Accept: "text/plain" },
      body: JSON.stringify({
        thread_id: "unstable_todo",
        assistant_id: "default",
        messages: [userMessage("Long\nendless gap=3")],
      }),
    });
    expect(response.status).toBe(200);
    const reading = response.text();
    await session.close(server());
    await expect(reading).rejects.toThrow();
  });
});

describeServer("an open stream that nothing rings", { heartbeatMs: 50 }, (server) => {
  test("goes on while its session stands", async () => {
    const ada = await server().anonymous("ada");
    const feed = await waitingFeed(ada);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { thread_id } = await ada.call("threads.create", {
      body: { last_message_at: "2020-01-01T00:00:00Z" },
    });
    expect((await feed.next()).value?.data).toMatchObject({
      type: "change",
      change: { thread: { id: thread_id } },
    });
    feed.close();
  });
});

describe("a key or a user that is ended by another program", () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
  });

  async function servers(engine: EngineName, ...settings: Record<string, string>[]): Promise<TestServer[]> {
    const place = await newPlace(engine);
    undo.push(place.remove);
    const started: TestServer[] = [];
    for (const more of settings) {
      const server = await startTestServer({ engine, place, heartbeatMs: 3_600_000, settings: more });
      undo.push(server.close);
      started.push(server);
    }
    return started;
  }

  const ada = ({ url }: { url: string }): Visitor => visitor(url, "ada", keyHeaders(apiKey, people.ada));

  test("takes its streams along, on SQLite beside the running server", async () => {
    const [server] = await servers("sqlite", {});
    const dan = visitor(server!.url, "dan", bearer((await signUp(server!.url)).access_token));
    const feeds = { ada: await waitingFeed(ada(server!)), dan: await waitingFeed(dan) };
    const beside = new DatabaseSync(join(server!.place.dataDir, "parlance.db"));
    beside.exec("update api_keys set revoked_at = 1");
    await feeds.ada.rest();
    beside.exec("update users set disabled_at = 1 where kind = 'anonymous'");
    beside.close();
    await feeds.dan.rest();
    expect((await ada(server!).ask("threads.list")).status).toBe(403);
  });

  test.runIf(engines.includes("postgres"))(
    "takes its streams along on every server of a PostgreSQL",
    async () => {
      const PUBLIC_URL = "http://parlance.test";
      const [one, two] = await servers("postgres", { PUBLIC_URL }, { PUBLIC_URL });
      const session = await openSession(one!.url);
      const feeds = [
        await waitingFeed(session.on(one!)),
        await waitingFeed(session.on(two!)),
        await waitingFeed(ada(one!)),
      ] as const;
      // Signed out at the other one.
      await session.close(two!);
      await Promise.all([feeds[0].rest(), feeds[1].rest()]);
      // The operator's setting replaces the key that an earlier one made.
      const three = await startTestServer({
        engine: "postgres",
        place: one!.place,
        settings: { PARLANCE_API_KEY: `${apiKey}Next` },
      });
      undo.push(three.close);
      await feeds[2].rest();
      for (const { log } of [one!, two!]) expect(log.takeErrors()).toEqual([]);
    },
  );
});
