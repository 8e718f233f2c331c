import { createHook } from "node:async_hooks";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { limits } from "#contract/limits.ts";
import {
  createOwner,
  join,
  openBrowser,
  openToEveryone,
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, startTestServer } from "../support/servers/server.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";

// A heartbeat of an hour, so that only a notification can end a stream.
describeServer("signing in with a password", { heartbeatMs: 3_600_000 }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
  });

  test("says the same of unknown addresses and wrong passwords (CVE-2026-21484)", async () => {
    await join(owner, { email: "ada@example.com" });
    const answers = [];
    for (const email of ["ada@example.com", "nobody@example.com", "not an address", ""])
      answers.push(
        await openBrowser(server().url).post("accounts.signIn", { email, password: "wrong horse" }),
      );
    for (const answer of answers) expectProblem(answer, "wrong-password");
    const texts = answers.map(({ text }) => text.replace(/"request_id":"\w+"/, ""));
    expect(new Set(texts).size).toBe(1);
  });

  test("accepts a password however its letters are composed", async () => {
    const browser = await join(owner, { email: "zoe@example.com" });
    await browser.call("accounts.changePassword", {
      body: { current_password: password, password: "Zoë's pässword" },
    });
    await signIn(server().url, "zoe@example.com", "Zoë's pässword".normalize("NFD"));
  });

  test("opens a new session, and ends the one that the browser had", async () => {
    await join(owner, { email: "fay@example.com" });
    const browser = openBrowser(server().url);
    await browser.post("auth.openSession", {});
    const [before, beforeTab] = [browser.cookie(), browser.tab()];
    await browser.post("accounts.signIn", { email: "fay@example.com", password });
    const [first, firstTab] = [browser.cookie(), browser.tab()];
    await browser.post("accounts.signIn", { email: "fay@example.com", password });
    expect(new Set([before, first, browser.cookie()]).size).toBe(3);
    for (const tab of [beforeTab, firstTab]) await tab.fails("token-expired", "auth.me");
    expect(await browser.call("auth.me")).toMatchObject({ email: "fay@example.com", role: "member" });
  });

  test("only works from the web app's own page", async () => {
    const body = { email: "olga@example.com", password };
    const { guest } = server();
    for (const headers of [
      {},
      { "Parlance-Client": "web", Origin: "https://evil.example" },
      { "Parlance-Client": "web", "Sec-Fetch-Site": "cross-site" },
    ] as Record<string, string>[]) {
      const answer = await guest.ask("accounts.signIn", { body, headers });
      expectProblem(answer, "not-allowed", "origin-not-allowed");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });

  test("is slowed down per account and address, and never locked for others", async () => {
    await join(owner, { email: "sam@example.com" });
    const attacker = openBrowser(server().url);
    const codes = [];
    for (let i = 0; i <= limits.passwordTriesPerAddress; i++)
      codes.push(
        (await attacker.post("accounts.signIn", { email: "SAM@example.com", password: `guess ${i}` })).status,
      );
    expect(codes.slice(0, -1).every((status) => status === 403)).toBe(true);
    expect(codes.at(-1)).toBe(429);
    // Another spelling is the same account.
    expectProblem(
      await attacker.post("accounts.signIn", { email: "sam@EXAMPLE.com ", password }),
      "too-many-attempts",
    );
    await signIn(server().url, "sam@example.com");
  });

  test(
    "is slowed down for all strangers together, and as much for addresses that nobody has",
    {
      timeout: 60_000,
    },
    async () => {
      const home = await join(owner, { email: "tea@example.com" });
      const guess = async (email: string) =>
        await openBrowser(server().url).post("accounts.signIn", { email, password: "a guess" });
      const slowed = [];
      for (const email of ["tea@example.com", "nobody.at.all@example.com"]) {
        for (let i = 0; i < limits.passwordTriesPerAccount; i += 10)
          for (const answer of await Promise.all(Array.from({ length: 10 }, async () => await guess(email))))
            expectProblem(answer, "wrong-password");
        const answer = await guess(email);
        expectProblem(answer, "too-many-attempts");
        slowed.push(Number(answer.headers.get("retry-after")));
      }
      // A busy machine has needed a second in between.
      for (const seconds of slowed) expect([28, 29, 30]).toContain(seconds);
      const stranger = openBrowser(server().url);
      expectProblem(
        await stranger.post("accounts.signIn", { email: "tea@example.com", password }),
        "too-many-attempts",
      );
      // Where she has been signed in before, she need not wait.
      expect((await home.post("accounts.signIn", { email: "tea@example.com", password })).status).toBe(200);
      server().clock.advance(limits.firstAttemptWaitMs);
      expect((await stranger.post("accounts.signIn", { email: "tea@example.com", password })).status).toBe(
        200,
      );
      // A right password makes nobody wait, and does not help the guesser.
      const other = openBrowser(server().url);
      expect((await other.post("accounts.signIn", { email: "tea@example.com", password })).status).toBe(200);
      expectProblem(await guess("tea@example.com"), "wrong-password");
      const answer = await guess("tea@example.com");
      expectProblem(answer, "too-many-attempts");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(30);
    },
  );

  test("never writes a password to the log or the database", async () => {
    const secret = "an unmistakable secret 4711";
    const browser = await join(owner, { email: "log@example.com" });
    await browser.call("accounts.changePassword", { body: { current_password: password, password: secret } });
    await openBrowser(server().url).post("accounts.signIn", {
      email: "log@example.com",
      password: `${secret}x`,
    });
    await openBrowser(server().url).send("POST", "/v1/auth/sign-in", {
      body: `{"password":"${secret}"`,
      headers: { "Content-Type": "application/json" },
    });
    expect(server().log.text()).not.toContain(secret);
    const rows = await rawSql(server().place, async (run) => [
      ...(await run("select * from passwords")),
      ...(await run("select * from audit_entries")),
      ...(await run("select * from users")),
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  describe("a new password", () => {
    test("ends the other sessions and their streams", async () => {
      const desk = await join(owner, { email: "pia@example.com" });
      const phone = await signIn(server().url, "pia@example.com");
      const feed = await phone.live();
      await feed.next();
      await desk.fails("wrong-password", "accounts.changePassword", {
        body: { current_password: "wrong", password: "a new password" },
      });
      await desk.call("accounts.changePassword", {
        body: { current_password: password, password: "a new password" },
      });
      await feed.rest();
      await phone.fails("token-expired", "auth.me");
      expect((await desk.ask("auth.me")).status).toBe(200);
      await signIn(server().url, "pia@example.com", "a new password");
      expectProblem(
        await openBrowser(server().url).post("accounts.signIn", { email: "pia@example.com", password }),
        "wrong-password",
      );
    });

    test("has 8 to 256 characters", async () => {
      const desk = await join(owner, { email: "len@example.com" });
      for (const each of ["short", "x".repeat(257), "lone \ud800 surrogate"])
        await desk.fails("bad-request", "accounts.changePassword", {
          body: { current_password: password, password: each },
        });
    });
  });

  test("an ended session of an account does not become a guest", async () => {
    const browser = await join(owner, { email: "kim@example.com" });
    const other = await signIn(server().url, "kim@example.com");
    await other.call("auth.endOtherSessions");
    expectProblem(await browser.post("auth.openSession", {}), "signed-out");
    // Who signs out becomes a guest: this is deliberate.
    await other.post("auth.closeSession");
    expect((await browser.post("auth.closeSession")).status).toBe(200);
  });

  test("the name changes freely, the e-mail address with the password, to one that nobody has", async () => {
    const browser = await join(owner, { email: "una@example.com" });
    expect(await browser.call("accounts.update", { body: { name: "  Una B. " } })).toMatchObject({
      name: "Una B.",
    });
    await browser.fails("wrong-password", "accounts.update", { body: { email: "una@example.org" } });
    await browser.fails("email-taken", "accounts.update", { body: { email: "OLGA@example.com", password } });
    await browser.fails("bad-request", "accounts.update", { body: { email: "no address", password } });
    const changed = await browser.call("accounts.update", { body: { email: "una@example.org", password } });
    expect(changed).toMatchObject({ email: "una@example.org", name: "Una B." });
    await signIn(server().url, "una@example.org");
  });

  test("lists a session with the address that it was opened from", async () => {
    await join(owner, { email: "vic@example.com" });
    const browser = openBrowser(server().url, { "X-Forwarded-For": "203.0.113.7" });
    await browser.post("accounts.signIn", { email: "vic@example.com", password });
    const { sessions } = await browser.call("auth.sessions");
    expect(sessions.find(({ is_current }) => is_current)?.address).toBe("203.0.113.7");
  });
});

describeServer("the usual password hashes", { on: ["sqlite"], slowPasswords: true }, (server) => {
  beforeAll(async () => void (await openToEveryone(await createOwner(server()))));

  test("are computed for unknown addresses too, so that both take the same time", async () => {
    let hashes = 0;
    const hook = createHook({ init: (_id, type) => void (hashes += type === "ARGON2REQUEST" ? 1 : 0) });
    hook.enable();
    onTestFinished(() => void hook.disable());
    const hashesFor = async (email: string) => {
      hashes = 0;
      await openBrowser(server().url).post("accounts.signIn", { email, password: "wrong horse" });
      return hashes;
    };
    expect(await hashesFor("olga@example.com")).toBe(1);
    expect(await hashesFor("nobody@example.com")).toBe(1);
  });

  test("are stored with their parameters", async () => {
    const [row] = await rawSql(server().place, async (run) => await run("select hash from passwords"));
    expect(row!["hash"]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  test("leave the server responsive: it answers busy when too many wait, and serves everything else", async () => {
    const tries = Array.from(
      { length: 60 },
      async (_, i) =>
        await openBrowser(server().url).post("accounts.signIn", { email: `p${i}@example.com`, password }),
    );
    const health = await fetch(`${server().url}/healthz`);
    expect(health.status).toBe(200);
    const codes = (await Promise.all(tries)).map(({ status }) => status);
    expect(new Set(codes)).toEqual(new Set([403, 503]));
    expect(codes.filter((status) => status === 403).length).toBeGreaterThanOrEqual(30);
  });
});

test("sessions end in every process of the database", async () => {
  const first = await startTestServer({ engine: "postgres", heartbeatMs: 3_600_000 });
  const second = await startTestServer({ engine: "postgres", place: first.place, heartbeatMs: 3_600_000 });
  try {
    await openToEveryone(await createOwner(first));
    const onSecond = await signIn(second.url, "olga@example.com");
    const feed = await onSecond.live();
    await feed.next();
    const onFirst = await signIn(first.url, "olga@example.com");
    await onFirst.call("accounts.changePassword", {
      body: { current_password: password, password: "another password" },
    });
    await feed.rest();
    await onSecond.fails("token-expired", "auth.me");
  } finally {
    await second.close();
    await first.close();
  }
});
