import { SignJWT, UnsecuredJWT, decodeJwt } from "jose";
import { describe, expect } from "vitest";
import { apiKey } from "#fixtures/people.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawRequest } from "../support/clients/raw-request.ts";
import { describeServer, test, newPlace, startTestServer } from "../support/servers/server.ts";
import { bearer, keyHeaders, newAddress, signUp } from "../support/clients/visitor.ts";

describeServer("a credential", {}, (server) => {
  const ask = async (headers: Record<string, string>) =>
    await server().guest.send("GET", "/v1/threads", { headers });
  const withToken = async (token: string) => await ask(bearer(token));

  test.for([
    ["", "unsupported-scheme"],
    ["Bearer", "unsupported-scheme"],
    ["Bearer  ", "unsupported-scheme"],
    ["Basic YWRhOmFkYQ==", "unsupported-scheme"],
    ["Token abc", "unsupported-scheme"],
    ["Bearer two words", "unsupported-scheme"],
    ["Bearer x", "unsupported-credential"],
    ["Bearer a.b", "unsupported-credential"],
    ["Bearer a.b.c.d", "unsupported-credential"],
    ["Bearer undefined", "unsupported-credential"],
    ["Bearer null", "unsupported-credential"],
    ["Bearer a.b.c", "invalid-token"],
    ["Bearer ..", "unsupported-credential"],
    ["Bearer e30.e30.e30", "invalid-token"],
    [`Bearer ${"x".repeat(4_000)}.${"y".repeat(4_000)}.z`, "invalid-token"],
    ["Bearer sk_aui_proj_", "invalid-api-key"],
    ["Bearer sk_aui_proj_nobodysKeyButOfTheRightForm0", "invalid-api-key"],
    [`Bearer ${apiKey}x`, "invalid-api-key"],
    [`Bearer ${apiKey.toLowerCase()}`, "invalid-api-key"],
  ] as const)("%j is refused as %s", async ([authorization, code]) => {
    expectProblem(
      await ask({ Authorization: authorization, "Aui-Workspace-Id": "x" }),
      authorization === "" ? "not-signed-in" : code,
      code,
    );
  });

  test("may have its scheme in any case, with several spaces after it", async () => {
    const { access_token } = await signUp(server().url);
    for (const scheme of ["Bearer ", "bearer ", "BEARER    "])
      expect((await ask({ Authorization: scheme + access_token })).status).toBe(200);
  });

  test("that is a token is valid for five minutes", async ({ eve }) => {
    expect((await eve.ask("threads.list")).status).toBe(200);
    server().clock.advance(4 * 60_000);
    expect((await eve.ask("threads.list")).status).toBe(200);
    server().clock.advance(61_000);
    await eve.fails("token-expired", "threads.list");
  });

  test("that is a token with another signature is refused", async () => {
    const { access_token } = await signUp(server().url);
    const claims = decodeJwt(access_token);
    const sign = async (secret: string, alg: string, more: object = {}) =>
      await new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(secret.padEnd(64, "x")));
    const [header, payload, signature] = access_token.split(".") as [string, string, string];
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const forged = [
      await sign("another secret", "HS256"),
      await sign("7d1f0b6c3a9e58424c0de1f7b2a6935d", "HS256"),
      await sign("another secret", "HS512"),
      new UnsecuredJWT(claims).encode(),
      `${encoded({ alg: "none" })}.${payload}.`,
      `${encoded({ alg: "None" })}.${payload}.${signature}`,
      `${encoded({ alg: "HS256" })}.${payload}.`,
      `${encoded({ alg: "RS256" })}.${payload}.${signature}`,
      `${encoded({ alg: "HS256", jwk: { kty: "oct", k: "AAAA" } })}.${payload}.${signature}`,
      `${header}.${encoded({ ...claims, wid: "wsp_0000000000000000000000000", kind: "admin" })}.${signature}`,
      `${header}.${encoded({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}AA`,
      `${header}.${payload}.`,
    ];
    for (const token of forged) expectProblem(await withToken(token), "invalid-token");
    expect((await withToken(access_token)).status).toBe(200);
  });

  test("that is a key requires a workspace and valid names", async () => {
    const names = {
      good: ["a", "user@example.com", "a/b", "räksmörgås", "x".repeat(255), "a,b"],
      bad: ["a b", "x".repeat(256), "a\tb"],
    };
    const raw = async (headers: Record<string, string>) =>
      await rawRequest(server().url, {
        path: "/v1/threads",
        headers: { ...bearer(apiKey), ...headers },
      });
    expectProblem(await raw({}), "invalid-workspace-header");
    for (const name of names.good) {
      expect((await raw({ "Aui-Workspace-Id": name })).status, name).toBe(200);
      expect((await raw({ "Aui-Workspace-Id": "x", "Aui-User-Id": name })).status, name).toBe(200);
    }
    for (const name of names.bad) {
      expectProblem(await raw({ "Aui-Workspace-Id": name }), "invalid-workspace-header");
      expectProblem(await raw({ "Aui-Workspace-Id": "x", "Aui-User-Id": name }), "invalid-user-header");
    }
  });

  test("is never logged, and neither are messages", async ({ ada }) => {
    const { access_token, refresh_token } = await signUp(server().url);
    await withToken(access_token);
    await withToken(`${access_token}x`);
    await ask({ Authorization: `Basic ${access_token}` });
    await ada.ask("threads.create", { body: { last_message_at: "x", title: "The secret of Ada" } });
    await server().guest.ask("auth.refresh", { body: refresh_token.token as never });
    const log = server().log.text();
    expect(log).toContain("request refused");
    for (const secret of [
      access_token,
      refresh_token.token,
      apiKey,
      "The secret of Ada",
      "a secret for tests",
    ])
      expect(log).not.toContain(secret);
  });
});

describe("a revoked key", () => {
  test.for(["sqlite"] as const)("is refused, and so are the tokens it minted (%s)", async (engine) => {
    const place = await newPlace(engine);
    try {
      const first = await startTestServer({ engine, place });
      const { token } = await first.inNewWorkspace().call("auth.mint");
      await first.close();

      const second = await startTestServer({
        engine,
        place,
        settings: { PARLANCE_API_KEY: "sk_aui_proj_anotherKeyOfTheSameService" },
      });
      await second.inNewWorkspace().fails("invalid-api-key", "threads.list");
      await second.withToken(token).fails("invalid-token", "threads.list");
      await second.close();

      const third = await startTestServer({ engine, place });
      expect((await third.inNewWorkspace().ask("threads.list")).status).toBe(200);
      await third.close();
    } finally {
      await place.remove();
    }
  });

  test.for(["sqlite"] as const)(
    "belongs to the secret: with another one, no token is valid (%s)",
    async (engine) => {
      const place = await newPlace(engine);
      try {
        const first = await startTestServer({ engine, place });
        const { access_token, refresh_token } = await signUp(first.url);
        await first.close();
        const second = await startTestServer({
          engine,
          place,
          settings: { PARLANCE_SECRET: "another secret that is long enough" },
        });
        await second.withToken(access_token).fails("invalid-token", "threads.list");
        // Refresh tokens do not depend on the secret.
        expect(
          (await second.guest.ask("auth.refresh", { body: { refresh_token: refresh_token.token } })).status,
        ).toBe(200);
        expect(second.ownerLink.split("#")[1]).not.toBe(first.ownerLink.split("#")[1]);
        await second.close();
      } finally {
        await place.remove();
      }
    },
  );
});

describeServer("concurrent users of one key", {}, (server) => {
  test("create a new workspace only once", async () => {
    const workspaceId = `org_${crypto.randomUUID()}`;
    const people = Array.from({ length: 12 }, (_, index) => ({
      ...keyHeaders(apiKey, { userId: `user_${index}`, workspaceId }),
      ...newAddress(),
    }));
    const answers = await Promise.all(
      people.map(async (headers) => await server().guest.send("GET", "/v1/threads", { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
    const [first, last] = [server().inWorkspace(workspaceId), server().inWorkspace(workspaceId, "ben")];
    const { thread_id } = await first.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    expect((await last.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);
  });
});
