import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { startMailServer } from "#fixtures/mail/mail-server.ts";
import { userMessage } from "#fixtures/people.ts";
import { engines } from "./support/postgres/postgres.ts";
import { rawSql } from "./support/postgres/raw-sql.ts";
import {
  newPlace,
  startTestServer,
  type EngineName,
  type ServerPlace,
  type TestServer,
} from "./support/servers/server.ts";
import { createOwner, openBrowser, password } from "./support/clients/browser.ts";
import { eventsOf, startRun, sendAndWait } from "./support/clients/conversation.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "./support/clients/visitor.ts";

const ownPage = { "Parlance-Client": "web" };

const hourMs = 3_600_000;

/** A guest, and the token that their browser stores. */
async function newGuest(server: TestServer): Promise<{ who: Visitor; userId: string; refreshToken: string }> {
  const tokens = await signUp(server.url);
  const who = visitor(server.url, "guest", { ...bearer(tokens.access_token), ...newAddress() });
  const { user_id: userId } = await who.call("auth.me");
  return { who, userId, refreshToken: tokens.refresh_token.token };
}

async function refreshed(server: TestServer, refreshToken: string): Promise<Visitor> {
  const tokens = await server.guest.call("auth.refresh", {
    body: { refresh_token: refreshToken },
    headers: newAddress(),
  });
  return server.withToken(tokens.access_token);
}

/** Advances the clock in steps of eight hours and calls `meanwhile` once a day. */
async function pass(servers: TestServer[], hours: number, meanwhile?: () => Promise<unknown>): Promise<void> {
  for (let hour = 0; hour < hours; hour += 8) {
    for (const { clock } of servers) clock.advance(8 * hourMs);
    if (hour % 24 === 0) await meanwhile?.();
    for (let turns = 0; turns < 20; turns++) await turn();
  }
}

async function ids(place: ServerPlace, table: string, column = "id"): Promise<string[]> {
  return await rawSql(place, async (run) =>
    (await run(`select ${column} as id from ${table} order by ${column}`)).map(({ id }) => String(id)),
  );
}

async function withPlace(engine: EngineName, work: (place: ServerPlace) => Promise<void>): Promise<void> {
  const place = await newPlace(engine);
  try {
    await work(place);
  } finally {
    await place.remove();
  }
}

/** Advances the servers' clocks until `check` passes: a sweep that was in progress is followed by the next. */
async function soon(servers: TestServer[], check: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const { clock } of servers) clock.advance(11 * 60_000);
      await check();
    },
    { timeout: 15_000, interval: 50 },
  );
}

describe.each(engines)("the sweeps (%s)", (engine) => {
  test("deletes guests without data and their sessions, and keeps those with data or a recent visit", async () => {
    await withPlace(engine, async (place) => {
      const server = await startTestServer({ engine, place, settings: { KEEP_EVENTS_DAYS: "30" } });
      const left = await newGuest(server);
      const signedOut = await newGuest(server);
      const faithful = await newGuest(server);
      const withThread = await newGuest(server);
      const withTrash = await newGuest(server);
      const kept = await sendAndWait(withThread.who, "Hello");
      const thrown = await sendAndWait(withTrash.who, "Hello");
      await withTrash.who.call("threads.remove", { params: { thread_id: thrown.thread_id } });
      await withThread.who.call("events.add", { body: { events: [{ kind: "message_copied" }] } });
      await rawSql(place, (run) =>
        run(`update sessions set revoked_at = ${Date.now()} where user_id = '${signedOut.userId}'`),
      );
      await pass([server], 8 * 24, async () => await refreshed(server, faithful.refreshToken));
      await soon([server], async () => expect(await ids(place, "users")).not.toContain(signedOut.userId));
      // After thirty days without use a session ends, and a week later it is deleted.
      expect(await ids(place, "users")).toContain(left.userId);
      await refreshed(server, left.refreshToken);

      await pass([server], 40 * 24, async () => await refreshed(server, faithful.refreshToken));
      await soon([server], async () => {
        const users = await ids(place, "users");
        expect(users).not.toContain(left.userId);
        expect(users).not.toContain(withTrash.userId);
      });
      const users = await ids(place, "users");
      expect(users).toContain(faithful.userId);
      expect(users).toContain(withThread.userId);
      expect(users.some((id) => !id.startsWith("usr_anon_"))).toBe(true);
      expect(await ids(place, "threads")).toEqual([kept.thread_id]);
      // The usage of the deleted guest and their workspace are kept for statistics.
      expect(await ids(place, "runs")).toEqual([kept.run_id, thrown.run_id].toSorted());
      const names = await ids(place, "workspaces", "name");
      expect(names).toContain(withTrash.userId);
      expect(names).not.toContain(left.userId);
      expect(names).not.toContain(signedOut.userId);
      await soon([server], async () => expect(await ids(place, "events")).toEqual([]));
      await soon([server], async () => {
        const topics = await ids(place, "log_topics", "topic");
        expect(topics.filter((topic) => topic.startsWith("run:"))).toEqual([]);
      });
      expect(await ids(place, "sessions", "user_id")).toEqual([faithful.userId]);
      const again = await refreshed(server, faithful.refreshToken);
      expect(await again.call("auth.me")).toMatchObject({ user_id: faithful.userId });
      await server.close();
      expect(server.log.takeErrors()).toEqual([]);
    });
  });

  test("forgets requests for an account after a month, and those whose link expired after a week", async () => {
    await withPlace(engine, async (place) => {
      const mails = await startMailServer();
      const settings = { PUBLIC_URL: "http://chat.example.com" };
      const server = await startTestServer({ engine, place, settings });
      const owner = await createOwner(server);
      const mail = { host: "127.0.0.1", port: mails.port, security: "none", username: null } as const;
      await owner.call("mail.put", { body: { ...mail, sender: "chat@example.com" } });
      await owner.call("signInSettings.put", {
        body: { joining: "approval", guests: true, email_domains: ["corp.example"] },
      });
      const ask = async (email: string) =>
        (await openBrowser(server.url).post("accounts.signUp", { name: "Kim", email, password })).body;
      const asking = async () => (await owner.call("joinRequests.list")).requests.map(({ email }) => email);
      const useOwner = async () => await owner.post("auth.openSession", {});
      expect(await ask("kim@corp.example")).toMatchObject({ status: "confirm-email" });
      expect(await ask("lea@example.com")).toMatchObject({ status: "waiting" });
      await pass([server], 6 * 24, useOwner);
      expect(await asking()).toEqual(["lea@example.com", "kim@corp.example"]);
      await pass([server], 2 * 24, useOwner);
      await soon([server], async () => expect(await asking()).toEqual(["lea@example.com"]));
      await pass([server], 23 * 24, useOwner);
      await soon([server], async () => expect(await asking()).toEqual([]));
      expect(await ask("kim@corp.example")).toMatchObject({ status: "confirm-email" });
      await server.close();
      await mails.close();
    });
  });

  test("deletes old entries of the audit log after a time that the operator chose", async () => {
    await withPlace(engine, async (place) => {
      const server = await startTestServer({ engine, place, settings: { KEEP_AUDIT_DAYS: "30" } });
      await rawSql(place, (run) =>
        run(`insert into audit_entries (id, at, action, actor)
          values ('aud_old', 1, 'signed-in', 'x'), ('aud_new', ${Date.now()}, 'signed-in', 'x')`),
      );
      await soon([server], async () => expect(await ids(place, "audit_entries")).toEqual(["aud_new"]));
      await server.close();
      expect(server.log.takeErrors()).toEqual([]);
    });
  });

  test("deletes old entries of the audit log after a time that administrators chose", async () => {
    await withPlace(engine, async (place) => {
      const server = await startTestServer({ engine, place, settings: { KEEP_AUDIT_DAYS: "400" } });
      const owner = await createOwner(server);
      await rawSql(place, (run) =>
        run(`insert into audit_entries (id, at, action, actor)
          values ('aud_old', ${Date.now() - 100 * 24 * 3_600_000}, 'signed-in', 'x')`),
      );
      expect(await owner.call("audit.settings")).toEqual({ keep_days: 400 });
      await owner.call("audit.changeSettings", { body: { keep_days: 90 } });
      await soon([server], async () => expect(await ids(place, "audit_entries")).not.toContain("aud_old"));
      expect((await owner.call("audit.list")).entries.length).toBeGreaterThan(0);
      await server.close();
      expect(server.log.takeErrors()).toEqual([]);
    });
  });

  test("deletes many rows in small steps while an answer is written", async () => {
    await withPlace(engine, async (place) => {
      const server = await startTestServer({ engine, place, model: true });
      const ada = server.inNewWorkspace();
      const old = await sendAndWait(ada, "An old answer. tokens=3");
      const { userId } = await newGuest(server);
      const much = 700;
      await rawSql(place, async (run) => {
        await run("begin");
        for (let i = 0; i < much; i++) {
          await run(
            `insert into sessions (id, token_hash, user_id, created_at, expires_at) values ('s${i}', 'h${i}', '${userId}', 0, 1)`,
          );
          await run(
            `insert into events (id, app_id, workspace_id, user_id, kind, created_at) select 'e${i}', app_id, id, '', 'x', 1 from workspaces limit 1`,
          );
        }
        await run("commit");
        // More log entries than one step deletes.
        await run(
          `insert into log_entries (topic, seq, body, created_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select 'run:${old.run_id}', 1000 + i, '{}', 0 from n`,
        );
        await run(`update log_topics set last_seq = 6000 where topic = 'run:${old.run_id}'`);
      });
      const talk = await startRun(ada, "A long one. tokens=60 gap=20");
      const stream = await ada.events(talk.run_id);
      server.clock.advance(2 * hourMs);
      const reply = fold(eventsOf(await stream.rest()));
      expect(reply.end?.state).toBe("completed");
      await soon([server], async () => {
        expect((await ids(place, "sessions")).filter((id) => /^s\d/.test(id))).toEqual([]);
        expect(await ids(place, "events")).toEqual([]);
        expect(await ids(place, "log_entries", "topic")).not.toContain(`run:${old.run_id}`);
      });
      expect(await ids(place, "users")).toContain(userId);
      await server.close();
      expect(server.log.takeErrors()).toEqual([]);
    });
  });
});

test.runIf(engines.includes("postgres"))(
  "the sweeps of two servers at once delete each row once",
  async () => {
    await withPlace("postgres", async (place) => {
      const servers = [
        await startTestServer({ engine: "postgres", place }),
        await startTestServer({ engine: "postgres", place }),
      ];
      const leavers = await Promise.all(Array.from({ length: 30 }, async () => await newGuest(servers[0]!)));
      const stays = await newGuest(servers[1]!);
      const { thread_id: threadId } = await sendAndWait(stays.who, "Mine.");
      await pass(servers, 40 * 24);
      await soon(servers, async () => {
        const users = await ids(place, "users");
        expect(users.filter((id) => leavers.some(({ userId }) => userId === id))).toEqual([]);
        expect(users).toContain(stays.userId);
      });
      expect(await ids(place, "threads")).toEqual([threadId]);
      for (const server of servers) {
        await server.close();
        expect(server.log.takeErrors()).toEqual([]);
      }
    });
  },
);

describe.each(engines)("use without an account, switched off (%s)", (engine) => {
  test("ends older sessions; threads are kept and can be claimed", async () => {
    await withPlace(engine, async (place) => {
      const before = await startTestServer({ engine, place });
      const dan = await newGuest(before);
      const threadId = newId("thread");
      await dan.who.call("runs.start", {
        params: { thread_id: threadId },
        body: { message: { parent_id: null, content: userMessage("Mine") } },
      });
      const opened = await before.guest.ask("auth.openSession", { body: {}, headers: ownPage });
      const session = /=([^;]+)/.exec(opened.headers.get("set-cookie")!)![1]!;
      await before.close();

      const off = await startTestServer({ engine, place, settings: { PARLANCE_ANONYMOUS: "off" } });
      // The name of the cookie has the port.
      const inBrowser = { ...ownPage, Cookie: `parlance_${off.port}=${session}` };
      const refusals = [
        await off.guest.ask("auth.signUpAnonymous"),
        await off.guest.ask("auth.refresh", { body: { refresh_token: dan.refreshToken } }),
        await visitor(off.url, "dan", dan.who.headers).ask("threads.list"),
        await off.guest.ask("auth.openSession", { body: {}, headers: inBrowser }),
        await off.guest.ask("threads.list", { headers: inBrowser }),
      ];
      for (const { status, text } of refusals)
        expect([status, JSON.parse(text)], text).toMatchObject([403, { code: "anonymous-off" }]);
      const ada = off.inNewWorkspace();
      expect(await ids(place, "threads")).toEqual([threadId]);
      expect(await ada.call("threads.claim", { body: { refresh_token: dan.refreshToken } })).toMatchObject({
        moved: 1,
      });
      expect((await ada.call("threads.list")).threads.map(({ id }) => id)).toEqual([threadId]);
      await off.close();

      const on = await startTestServer({ engine, place });
      const again = await refreshed(on, dan.refreshToken);
      expect(await again.call("auth.me")).toMatchObject({ user_id: dan.userId });
      await on.close();
    });
  });
});
