import { afterEach, describe, expect } from "vitest";
import { createCuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test, newPlace, startTestServer } from "../support/servers/server.ts";
import { newAddress, signUp } from "../support/clients/visitor.ts";

const day = 24 * 3_600_000;

describeServer("a refresh token", {}, (server) => {
  const refresh = async (token: unknown, headers: Record<string, string> = {}) =>
    await server().guest.ask("auth.refresh", {
      body: { refresh_token: token } as never,
      headers: { ...newAddress(), ...headers },
    });

  test("can be used many times, stays the same, and gives access tokens of the same person", async () => {
    const { refresh_token } = await signUp(server().url);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => await refresh(refresh_token.token)),
    );
    const people = new Set<string>();
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.refresh_token.token).toBe(refresh_token.token);
      people.add((await server().withToken(body.access_token).call("auth.me")).user_id);
    }
    expect(people.size).toBe(1);
  });

  test("is valid for 30 days after its last use", async () => {
    const { refresh_token } = await signUp(server().url);
    const unused = await signUp(server().url);
    for (let i = 0; i < 3; i++) {
      server().clock.advance(20 * day);
      const { status, body } = await refresh(refresh_token.token);
      expect(status).toBe(200);
      const expiresAt = Date.parse(body.refresh_token.expires_at);
      expect(Math.abs(expiresAt - (server().clock.now() + 30 * day))).toBeLessThan(10_000);
      expect(new Date(expiresAt).toISOString()).toBe(body.refresh_token.expires_at);
    }
    expectProblem(await refresh(unused.refresh_token.token), "invalid-refresh-token");
    server().clock.advance(30 * day + 1_000);
    expectProblem(await refresh(refresh_token.token), "invalid-refresh-token");
  });

  test("that is not valid is refused with 403, so that the client signs up again", async () => {
    for (const token of [
      "x",
      "refresh_0",
      `refresh_0${"a".repeat(48)}`,
      "\u0000",
      "日本",
      "x".repeat(4_000),
      "' or 1=1 --",
    ])
      expectProblem(await refresh(token), "invalid-refresh-token");
    for (const token of ["", null, 7, {}, [], undefined]) expectProblem(await refresh(token), "bad-request");
    const { access_token } = await signUp(server().url);
    expectProblem(await refresh(access_token), "invalid-refresh-token");
  });

  test("is not an access token", async () => {
    const { refresh_token } = await signUp(server().url);
    await server().withToken(refresh_token.token).fails("unsupported-credential", "threads.list");
  });

  test("is valid with any other headers in the request", async () => {
    const { refresh_token } = await signUp(server().url);
    for (const headers of [
      { Authorization: "Bearer expired" },
      { "Content-Type": "text/plain" },
      { Cookie: "a=b" },
    ] as Record<string, string>[]) {
      expect((await refresh(refresh_token.token, headers)).status).toBe(200);
    }
  });
});

describeServer("limits per address", { on: ["sqlite"] }, (server) => {
  const from = (address: string) => ({ "X-Forwarded-For": address, Origin: "http://localhost:5173" });
  const signUpFrom = async (address: string) =>
    await server().guest.ask("auth.signUpAnonymous", { headers: from(address) });

  test("allow 30 sign-ups in a minute, and tell the next request how long to wait", async () => {
    for (let i = 0; i < 30; i++) expect((await signUpFrom("192.0.2.1")).status).toBe(200);
    const refused = await signUpFrom("192.0.2.1");
    expectProblem(refused, "rate-limited");
    expect(JSON.parse(refused.text)).toMatchObject({ error: "rate_limited" });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(Number.isInteger(seconds)).toBe(true);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
    expect((await signUpFrom("192.0.2.2")).status).toBe(200);
    // Addresses that the client puts before the proxy's own are ignored.
    expectProblem(await signUpFrom("198.51.100.7, 192.0.2.1"), "rate-limited");
    expect((await signUpFrom("192.0.2.1, 192.0.2.3")).status).toBe(200);
  });

  test("count an IPv6 network of 64 bits as one address", async () => {
    for (let i = 0; i < 30; i++)
      expect((await signUpFrom(`2001:db8:1:2::${i.toString(16)}`)).status).toBe(200);
    expectProblem(await signUpFrom("2001:db8:1:2:ffff::1"), "rate-limited");
    expectProblem(await signUpFrom("2001:0DB8:0001:0002::1"), "rate-limited");
    expect((await signUpFrom("2001:db8:1:3::1")).status).toBe(200);
  });

  test("allow 120 refreshes in a minute", async () => {
    const { refresh_token } = await signUp(server().url);
    const refresh = async () =>
      await server().guest.ask("auth.refresh", {
        body: { refresh_token: refresh_token.token },
        headers: from("192.0.2.9"),
      });
    for (let i = 0; i < 120; i += 20)
      for (const { status } of await Promise.all(Array.from({ length: 20 }, refresh)))
        expect(status).toBe(200);
    const refused = await refresh();
    expectProblem(refused, "rate-limited");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  test("do not apply to other requests of a signed-in visitor", async ({ eve }) => {
    const answers = await Promise.all(Array.from({ length: 150 }, async () => await eve.ask("threads.list")));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describeServer("limits without a proxy", { on: ["sqlite"], settings: { TRUST_PROXY: "0" } }, (server) => {
  test("ignore X-Forwarded-For", async () => {
    let refused = 0;
    for (let i = 0; i < 32; i++) {
      const answer = await server().guest.ask("auth.signUpAnonymous", {
        headers: { "X-Forwarded-For": `192.0.2.${i}` },
      });
      if (answer.status === 429) refused++;
    }
    expect(refused).toBe(2);
  });
});

describeServer(
  "with PARLANCE_ANONYMOUS=off",
  { on: ["sqlite"], settings: { PARLANCE_ANONYMOUS: "off" } },
  (server) => {
    test("signing up is refused, and API keys work", async () => {
      await server().guest.fails("anonymous-off", "auth.signUpAnonymous");
      await server().guest.fails("anonymous-off", "auth.openSession", {
        body: {},
        headers: { "Parlance-Client": "web" },
      });
      expect((await server().inNewWorkspace().ask("threads.list")).status).toBe(200);
    });

    test("the owner's link works", async () => {
      const [, secret] = server().ownerLink.split("#");
      const answer = await server().guest.ask("auth.openSession", {
        body: { owner_secret: secret! },
        headers: { "Parlance-Client": "web" },
      });
      expect(answer.body).toMatchObject({ kind: "admin" });
    });
  },
);

describe.runIf(engines.includes("postgres"))("while the database is unreachable", () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
  });

  test("tokens are not reported as invalid, and work again afterwards", async () => {
    const place = await newPlace("postgres");
    undo.push(place.remove);
    const proxy = await createCuttableProxy(place.databaseUrl!);
    const server = await startTestServer({ engine: "postgres", place: { ...place, databaseUrl: proxy.url } });
    undo.push(server.close, proxy.close, async () => void server.log.takeErrors());
    const { access_token, refresh_token } = await signUp(server.url);
    const ada = server.inNewWorkspace();
    await ada.call("threads.list");
    await proxy.cut();
    const refresh = async () =>
      await server.guest.ask("auth.refresh", {
        body: { refresh_token: refresh_token.token },
        headers: newAddress(),
      });
    for (const answer of [
      await refresh(),
      await server.guest.ask("auth.signUpAnonymous", { headers: newAddress() }),
      await server.withToken(access_token).ask("threads.list"),
      await ada.ask("threads.list"),
      await ada.ask("threads.get", { params: { thread_id: "thread_0x" } }),
      await ada.ask("threads.create", { body: { last_message_at: new Date().toISOString() } }),
    ]) {
      expectProblem(answer, "maintenance");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    expect((await server.guest.send("GET", "/healthz")).status).toBe(503);
    await proxy.restore();
    expect((await refresh()).status).toBe(200);
    expect((await server.withToken(access_token).ask("threads.list")).status).toBe(200);
    expect((await server.guest.send("GET", "/healthz")).status).toBe(200);
  });
});
