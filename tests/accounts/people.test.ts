import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { openDatabase } from "#storage/database/open.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import {
  createOwner,
  join,
  openBrowser,
  openToEveryone,
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { waitForFirstWord } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, visitor, type Visitor } from "../support/clients/visitor.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";

const idOf = async (who: Visitor) => (await who.call("auth.me")).user_id;

// A heartbeat of an hour, so that only a notification can end a stream.
describeServer("administrators", { model: true, heartbeatMs: 3_600_000 }, (server) => {
  let owner: Browser;
  let admin: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    admin = await join(owner, { email: "admin@example.com", role: "admin" });
  });
  /** Waits until the run has ended where another process can see it: only the server may open SQLite's file. */
  const waitForEndOfRun = async (runId: string) => {
    const db = await openDatabase(server().place).catch(() => undefined);
    if (db === undefined) return;
    const states = db.read.selectFrom("runs").select("state").where("id", "=", runId);
    await expect.poll(async () => (await states.executeTakeFirst())?.state).toBe("cancelled");
    await db.close();
  };
  const ask = async (who: Browser, text: string, threadId = newId("thread")) => {
    const params = { thread_id: threadId };
    const content = userMessage(text);
    const { run_id, reply_id } = await who.call("runs.start", {
      params,
      body: { message: { parent_id: null, content } },
    });
    return { ...params, run_id, reply_id };
  };

  test("see everybody page by page, and find people by name and address", async () => {
    for (const name of ["ann", "bea", "cat"]) await join(owner, { email: `${name}@list.example` });
    await join(owner, { email: "per%cent@list.example" });
    const seen = [];
    let after: string | undefined;
    do {
      const { people, next } = await admin.call("people.list", {
        query: { limit: 2, ...(after === undefined ? {} : { after }) },
      });
      seen.push(...people);
      after = next ?? undefined;
    } while (after !== undefined);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.map(({ email }) => email)).toEqual(
      expect.arrayContaining(["ann@list.example", "olga@example.com", "admin@example.com"]),
    );
    expect(seen.find(({ email }) => email === "olga@example.com")).toMatchObject({
      role: "owner",
      name: "Olga",
      is_suspended: false,
    });
    const find = async (search: string) =>
      (await admin.call("people.list", { query: { search } })).people.map(({ email }) => email);
    expect(await find("BEA@list")).toEqual(["bea@list.example"]);
    expect(await find("%")).toEqual(["per%cent@list.example"]);
    const ozge = await join(owner, { email: "ozge@list.example" });
    await ozge.call("accounts.update", { body: { name: "Özge" } });
    expect(await find("Özge")).toEqual(["ozge@list.example"]);
    expect(await find("nobody like this")).toEqual([]);
    await admin.fails("bad-cursor", "people.list", { query: { after: "usr_0" } });
  });

  test("suspend somebody at once: sessions, streams, the running answer and the queue", async () => {
    const dan = await join(owner, { email: "dan@example.com" });
    const id = await idOf(dan);
    const { thread_id, run_id, reply_id } = await ask(dan, "endless gap=10");
    await waitForFirstWord(dan, run_id);
    await dan.call("runs.start", {
      params: { thread_id },
      body: {
        message: {
          id: newId("message"),
          parent_id: reply_id,
          content: userMessage("And this must not be asked"),
        },
      },
    });
    const feed = await dan.live();
    await feed.next();
    await admin.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    await feed.rest();
    await waitForEndOfRun(run_id);
    await dan.fails("token-expired", "auth.me");
    expectProblem(await dan.post("auth.openSession", {}), "signed-out");
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: "dan@example.com", password }),
      "account-suspended",
    );
    // Only a person who knows the password learns that the account is suspended.
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", {
        email: "dan@example.com",
        password: "wrong horse",
      }),
      "wrong-password",
    );

    await admin.call("people.update", { params: { person_id: id }, body: { is_suspended: false } });
    const again = await signIn(server().url, "dan@example.com");
    await expect
      .poll(async () => (await again.call("runs.get", { params: { run_id } })).run.state)
      .toBe("cancelled");
    expect((await again.call("messages.branch", { params: { thread_id } })).queue).toHaveLength(1);
    expect(
      server().model.requests.some(({ body }) =>
        JSON.stringify(body ?? "").includes("And this must not be asked"),
      ),
    ).toBe(false);
  });

  test("end sessions, and create links to set a new password", async () => {
    const fay = await join(owner, { email: "fay@example.com" });
    const params = { person_id: await idOf(fay) };
    expect((await admin.call("people.endSessions", { params })).ended).toBe(1);
    await fay.fails("token-expired", "auth.me");
    const { link } = await admin.call("people.createResetLink", { params });
    const token = link!.split("/reset#")[1]!;
    const answer = await fay.post("accounts.resetPassword", { token, password: "a new password" });
    expect(answer.body).toMatchObject({ email: "fay@example.com" });
  });

  test("delete an account with everything in it", async () => {
    const gus = await join(owner, { email: "gus@example.com" });
    const params = { person_id: await idOf(gus) };
    const { thread_id } = await ask(gus, "tokens=1");
    await admin.call("people.remove", { params });
    await gus.fails("token-expired", "auth.me");
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: "gus@example.com", password }),
      "wrong-password",
    );
    await admin.fails("person-not-found", "people.remove", { params });
    // The address is free again, for a person without the former one's threads.
    const other = await join(owner, { email: "gus@example.com" });
    expect((await other.call("threads.list")).threads).toEqual([]);
    await other.fails("thread-not-found", "threads.get", { params: { thread_id } });
  });

  test("cannot act on owners, and cannot name one", async () => {
    const params = { person_id: await idOf(owner) };
    for (const body of [{ role: "member" }, { is_suspended: true }, { role: "owner" }] as const)
      await admin.fails("not-allowed", "people.update", { params, body });
    await admin.fails("not-allowed", "people.remove", { params });
    await admin.fails("not-allowed", "people.endSessions", { params });
    await admin.fails("not-allowed", "people.createResetLink", { params });
    const own = { person_id: await idOf(admin) };
    await admin.fails("not-allowed", "people.update", { params: own, body: { role: "owner" } });
    expect(await owner.call("auth.me")).toMatchObject({ role: "owner" });
  });

  test("lose their role at once", async () => {
    const eve = await join(owner, { email: "eve@example.com", role: "admin" });
    const { link } = await eve.call("invitations.create", { body: { role: "admin" } });
    await owner.call("people.update", { params: { person_id: await idOf(eve) }, body: { role: "member" } });
    await eve.fails("not-allowed", "people.list");
    await eve.fails("not-allowed", "providers.list");
    // Their invitations do not count any more either.
    const invitation = link.split("#")[1]!;
    expectProblem(
      await openBrowser(server().url).post("accounts.signUp", {
        name: "X",
        email: "x@example.com",
        password,
        invitation,
      }),
      "invitation-invalid",
    );
  });

  test("approve people who ask for an account, or deny it", async () => {
    const settings = { joining: "approval" as const, guests: true, email_domains: [] };
    await admin.call("signInSettings.put", { body: settings });
    const request = async (email: string) => {
      const browser = openBrowser(server().url);
      await browser.post("auth.openSession", {});
      const asked = await browser.post("accounts.signUp", { name: "Ida", email, password });
      expect(asked.body).toEqual({ status: "waiting", me: null });
      expect(await browser.call("auth.me")).toMatchObject({ role: "guest" });
      return browser;
    };
    const ida = await request("ida@example.com");
    const params = { person_id: await idOf(ida) };
    const { thread_id } = await ask(ida, "tokens=1");
    expect((await admin.call("joinRequests.list")).requests).toEqual([
      expect.objectContaining({ user_id: params.person_id, email: "ida@example.com" }),
    ]);
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: "ida@example.com", password }),
      "approval-pending",
    );
    expectProblem(
      await ida.post("accounts.signUp", { name: "Ida", email: "ida2@example.com", password }),
      "already-joined",
    );
    await admin.call("joinRequests.approve", { params });
    await admin.fails("person-not-found", "joinRequests.approve", { params });
    const signedIn = await signIn(server().url, "ida@example.com");
    expect((await signedIn.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);

    const ron = await request("ron@example.com");
    await admin.call("joinRequests.deny", { params: { person_id: await idOf(ron) } });
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: "ron@example.com", password }),
      "wrong-password",
    );
    expect((await admin.call("joinRequests.list")).requests).toEqual([]);

    // Nobody is hidden behind many others: the newest come first, and all are listed, page by page.
    for (const name of ["first", "second", "third"]) {
      await request(`${name}@example.com`);
      server().clock.advance(1);
    }
    const query = { limit: 2 };
    const first = await admin.call("joinRequests.list", { query });
    expect(first.requests.map(({ email }) => email)).toEqual(["third@example.com", "second@example.com"]);
    await admin.call("joinRequests.deny", { params: { person_id: first.requests[1]!.user_id } });
    const rest = await admin.call("joinRequests.list", { query: { ...query, after: first.next! } });
    expect(rest).toMatchObject({ requests: [{ email: "first@example.com" }], next: null });
    await admin.fails("bad-cursor", "joinRequests.list", { query: { after: "nothing" } });
    for (const { user_id: person_id } of [first.requests[0]!, rest.requests[0]!])
      await admin.call("joinRequests.deny", { params: { person_id } });
    await admin.call("signInSettings.put", { body: { ...settings, joining: "invitation" } });
  });

  test("open the server to everybody, or to people of a domain who are then approved", async () => {
    const signUp = async (email: string) =>
      await openBrowser(server().url).post("accounts.signUp", { name: "New", email, password });
    expectProblem(await signUp("new1@example.net"), "invitation-needed");
    await admin.call("signInSettings.put", {
      body: { joining: "invitation", guests: true, email_domains: ["Example.NET"] },
    });
    expect((await signUp("new2@EXAMPLE.net")).body).toMatchObject({ status: "waiting" });
    for (const email of ["new@example.network", "new@sub.example.net", "new@example.net@evil.example"])
      expect((await signUp(email)).status).toBeGreaterThanOrEqual(400);
    await admin.call("signInSettings.put", { body: { joining: "open", guests: true, email_domains: [] } });
    expect((await signUp("new3@example.com")).body).toMatchObject({
      status: "joined",
      me: { role: "member" },
    });
    await admin.call("signInSettings.put", {
      body: { joining: "invitation", guests: true, email_domains: [] },
    });
  });

  describe("and backends", () => {
    test("never see what belongs to an account", async () => {
      const member = await join(owner, { email: "private@example.com" });
      const mine = await ask(member, "tokens=1");
      const feedback = {
        params: { thread_id: mine.thread_id, message_id: mine.reply_id },
        body: { type: "positive" as const },
      };
      await (await member.events(mine.run_id)).until(({ data }) => data.type === "run-end");
      await member.call("messages.feedback", feedback);
      const guest = openBrowser(server().url);
      await guest.post("auth.openSession", {});
      const theirs = await ask(guest, "tokens=1");
      const backend = visitor(server().url, "a backend", bearer(apiKey));
      const threads = (await backend.call("apps.threads", { query: { limit: "100" } })).threads.map(
        ({ id }) => id,
      );
      expect(threads).toContain(theirs.thread_id);
      expect(threads).not.toContain(mine.thread_id);
      await backend.fails("run-not-found", "apps.run", { params: { run_id: mine.run_id } });
      const runs = JSON.stringify(await backend.call("apps.runs"));
      expect(runs).toContain(theirs.run_id);
      expect(runs).not.toContain(mine.run_id);
      expect(
        (await backend.call("apps.messages", { params: { thread_id: mine.thread_id } })).messages,
      ).toEqual([]);
      expect(JSON.stringify(await backend.call("apps.scores", {}))).not.toContain(mine.thread_id);
      await backend.fails("not-allowed", "apps.eraseUser", { params: { user_id: await idOf(member) } });
      expect((await member.call("threads.list")).threads).toHaveLength(1);
    });
  });
});

describeServer("the last owner", { heartbeatMs: 3_600_000 }, (server, engine) => {
  test("cannot be removed, suspended or demoted, even when two owners act at once", async () => {
    const olga = await openToEveryone(await createOwner(server()));
    const own = { person_id: await idOf(olga) };
    for (const body of [{ role: "member" }, { role: "admin" }, { is_suspended: true }] as const)
      await olga.fails("last-owner", "people.update", { params: own, body });
    await olga.fails("last-owner", "people.remove", { params: own });
    const otto = await join(olga, { email: "otto@example.com" });
    const other = { person_id: await idOf(otto) };
    await olga.call("people.update", { params: other, body: { role: "owner" } });
    const answers = await Promise.all([
      olga.ask("people.update", { params: other, body: { role: "member" } }),
      otto.ask("people.update", { params: own, body: { role: "member" } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
  });

  test("can leave after another was named, and no start brings the first one back", async () => {
    const place = await newPlace(engine);
    try {
      const first = await startTestServer({ engine, place });
      const olga = await openToEveryone(await createOwner(first));
      const otto = await join(olga, { email: "otto@example.com" });
      await olga.call("people.update", { params: { person_id: await idOf(otto) }, body: { role: "owner" } });
      await olga.call("people.remove", { params: { person_id: await idOf(olga) } });
      await first.close();
      const second = await startTestServer({ engine, place });
      const again = await signIn(second.url, "otto@example.com");
      expect((await again.call("people.list")).people.map(({ email, role }) => [email, role])).toEqual([
        ["otto@example.com", "owner"],
      ]);
      expectProblem(
        await openBrowser(second.url).post("auth.openSession", {
          owner_secret: second.ownerLink.split("#")[1]!,
        }),
        "owner-has-account",
      );
      await second.close();
    } finally {
      await place.remove();
    }
  });
});

test("switching guests off closes their streams in every process", async () => {
  const first = await startTestServer({ engine: "postgres", heartbeatMs: 3_600_000 });
  const second = await startTestServer({ engine: "postgres", place: first.place, heartbeatMs: 3_600_000 });
  try {
    const owner = await openToEveryone(await createOwner(first));
    const guest = openBrowser(second.url);
    await guest.post("auth.openSession", {});
    const feed = await guest.live();
    await feed.next();
    await owner.call("signInSettings.put", {
      body: { joining: "invitation", guests: false, email_domains: [] },
    });
    await feed.rest();
    await guest.fails("anonymous-off", "auth.me");
    expectProblem(await openBrowser(second.url).post("auth.openSession", {}), "anonymous-off");
    expect((await owner.ask("auth.me")).status).toBe(200);
    await owner.call("signInSettings.put", {
      body: { joining: "invitation", guests: true, email_domains: [] },
    });
    await expect.poll(async () => (await guest.ask("auth.me")).status).toBe(200);
  } finally {
    await second.close();
    await first.close();
  }
});

test("the operator's setting is the upper limit for guests", async () => {
  const server = await startTestServer({ engine: "sqlite", settings: { PARLANCE_ANONYMOUS: "off" } });
  try {
    const owner = await openToEveryone(await createOwner(server));
    await owner.call("signInSettings.put", { body: { joining: "open", guests: true, email_domains: [] } });
    expect(await owner.call("signInSettings.get")).toMatchObject({
      guests_allowed: false,
      settings: { guests: true },
    });
    expectProblem(await openBrowser(server.url).post("auth.openSession", {}), "anonymous-off");
    const browser = openBrowser(server.url);
    await browser.post("accounts.signUp", { name: "Ada", email: "ada@example.com", password });
    expect(await browser.call("auth.me")).toMatchObject({ role: "member" });
  } finally {
    await server.close();
  }
});
