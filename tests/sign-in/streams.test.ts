import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { LiveMessage } from "#contract/changes.ts";
import { apiKey, people, userMessage } from "#fixtures/people.ts";
import type { EventStream } from "../support/clients/event-stream.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test, type EngineName, type TestServer } from "../support/servers/server.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";
import { startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { bearer, keyHeaders, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";

const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };

/** The session of a browser, at any of the servers. */
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

/** A feed after its first event. From then on its reader only waits. */
async function waitingFeed(who: Visitor): Promise<EventStream<LiveMessage>> {
  const feed = await who.live();
  expect((await feed.next()).value?.data).toMatchObject({ type: "hello" });
  return feed;
}

// A heartbeat of an hour, so that only a notification can end a stream.
describeServer("an open stream", { model: true, heartbeatMs: 3_600_000 }, (server) => {
  test("ends when its session is closed", async () => {
    const session = await openSession(server().url);
    const me = session.on(server());
    const feed = await waitingFeed(me);
    const talk = await startRun(me, "Long\nendless gap=5");
    const { stream } = await waitForFirstWord(me, talk.run_id);
    expect((await session.close(server())).status).toBe(200);
    // Reads until the end, which would never come if the streams continued.
    await feed.rest();
    expect((await stream.rest()).map(({ data }) => data.type)).not.toContain("run-end");
    expect((await me.ask("threads.list")).status).toBe(401);
  });

  test("ends when its user is erased, and those of others continue", async ({ eve }) => {
    const tokens = await signUp(server().url);
    const dan = server().withToken(tokens.access_token);
    const [dans, eves] = [await waitingFeed(dan), await waitingFeed(eve)];
    const { user_id } = await dan.call("auth.me");
    await server().person("ada").call("apps.eraseUser", { params: { user_id } });
    await dans.rest();
    const { thread_id } = await eve.call("threads.create", {
      body: { last_message_at: "2020-01-01T00:00:00Z" },
    });
    expect((await eves.next()).value?.data).toMatchObject({ change: { thread: { id: thread_id } } });
    eves.close();
  });

  test("is cut when a protocol client's session is closed during an answer, so that a partial answer does not look complete", async () => {
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

describeServer("an open stream without notifications", { heartbeatMs: 50 }, (server) => {
  test("continues while its session is valid", async () => {
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

describe("a key that is revoked or a user who is erased by another program", () => {
  async function servers(engine: EngineName, ...settings: Record<string, string>[]): Promise<TestServer[]> {
    const place = await placeForTest(engine);
    const started: TestServer[] = [];
    for (const more of settings) {
      const server = await serverForTest({ engine, place, heartbeatMs: 3_600_000, settings: more });
      started.push(server);
    }
    return started;
  }

  const ada = ({ url }: { url: string }): Visitor => visitor(url, "ada", keyHeaders(apiKey, people.ada));

  test("loses its streams, on SQLite beside the running server", async () => {
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
    "loses its streams on every server of a PostgreSQL database",
    async () => {
      const PUBLIC_URL = "http://parlance.test";
      const [one, two] = await servers("postgres", { PUBLIC_URL }, { PUBLIC_URL });
      const session = await openSession(one!.url);
      const feeds = [
        await waitingFeed(session.on(one!)),
        await waitingFeed(session.on(two!)),
        await waitingFeed(ada(one!)),
      ] as const;
      // Signed out at the other server.
      await session.close(two!);
      await Promise.all([feeds[0].rest(), feeds[1].rest()]);
      // The key of the setting replaces the key of its earlier value.
      await serverForTest({
        engine: "postgres",
        place: one!.place,
        settings: { PARLANCE_API_KEY: `${apiKey}Next` },
      });
      await feeds[2].rest();
      for (const { log } of [one!, two!]) expect(log.takeErrors()).toEqual([]);
    },
  );
});
