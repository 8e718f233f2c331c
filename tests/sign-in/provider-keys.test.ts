import { SignJWT, UnsecuredJWT, exportSPKI, importJWK, base64url } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Issuer, Behaviour } from "#fixtures/issuer/issuer.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { providerOf, acceptTokensOf, withProviderToken } from "../support/servers/provider.ts";
import { describeServer } from "../support/servers/server.ts";

/** The keys of a provider: how they are fetched and cached, and forged signatures. */
describeServer("the keys of a sign-in provider", { on: ["sqlite"] }, (server) => {
  const ada = { sub: "auth0|ada" };
  const come = async (token: string) => await withProviderToken(server(), token).ask("threads.list");
  async function newProvider(...more: string[]): Promise<Issuer> {
    const provider = await providerOf(server());
    await acceptTokensOf(server(), provider, ...more);
    // The command that adds the rule fetches them too.
    const before = provider.requestCount();
    return { ...provider, requestCount: () => provider.requestCount() - before };
  }

  test("are fetched once for concurrent requests, and cached for ten minutes", async () => {
    const provider = await newProvider();
    const token = await provider.sign(ada);
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await come(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(provider.requestCount()).toBe(1);
    server().clock.advance(9 * 60_000);
    await come(await provider.sign(ada));
    expect(provider.requestCount()).toBe(1);
    server().clock.advance(61_000);
    expect((await come(await provider.sign(ada))).status).toBe(200);
    expect(provider.requestCount()).toBe(2);
    await provider.close();
  });

  test("are fetched again for an unknown key, but not for every one", async () => {
    const provider = await newProvider();
    await come(await provider.sign(ada));
    const next = await provider.newKey();
    provider.publish(provider.key, next);
    server().clock.advance(5_000);
    expect((await come(await provider.sign(ada, { with: next }))).status).toBe(200);
    expect(provider.requestCount()).toBe(2);
    const strange = await provider.newKey();
    for (let i = 0; i < 20; i++)
      expectProblem(await come(await provider.sign(ada, { with: strange })), "invalid-token");
    expect(provider.requestCount()).toBe(2);
    await provider.close();
  });

  test("that were revoked are refused after ten minutes", async () => {
    const provider = await newProvider();
    expect((await come(await provider.sign(ada))).status).toBe(200);
    provider.publish(await provider.newKey());
    server().clock.advance(10 * 60_000);
    expectProblem(await come(await provider.sign(ada)), "invalid-token");
    await provider.close();
  });

  test.for(["html", "huge", "endless", "broken", "error", "redirect", "away"] satisfies Behaviour[])(
    "that come as %s (a redirect is never followed: CVE-2024-47066) answer 503, never 401 or 403, and work again afterwards",
    async (behaviour) => {
      const provider = await newProvider();
      provider.behave(behaviour);
      const refused = await come(await provider.sign(ada));
      expectProblem(refused, "sign-in-unavailable");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      // The next request gets the same answer at once, without a request to the provider.
      expectProblem(await come(await provider.sign(ada)), "sign-in-unavailable");
      expect(provider.requestCount()).toBe(1);
      provider.behave("well");
      server().clock.advance(5_000);
      expect((await come(await provider.sign(ada))).status).toBe(200);
      expect(server().log.takeErrors()).toHaveLength(2);
      await provider.close();
    },
  );

  test("have a timeout of five seconds", async () => {
    const provider = await newProvider();
    provider.behave("silent");
    expectProblem(await come(await provider.sign(ada)), "sign-in-unavailable");
    expect(server().log.takeErrors()).toHaveLength(1);
    await provider.close();
  });

  test("are valid for an hour more while the provider is unreachable, and unknown ones get 503", async () => {
    const provider = await newProvider();
    await come(await provider.sign(ada));
    provider.behave("error");
    server().clock.advance(59 * 60_000);
    expect((await come(await provider.sign(ada))).status).toBe(200);
    const next = await provider.newKey();
    expectProblem(await come(await provider.sign(ada, { with: next })), "sign-in-unavailable");
    server().clock.advance(2 * 60_000);
    expectProblem(await come(await provider.sign(ada)), "sign-in-unavailable");
    expect(server().log.takeErrors()).toHaveLength(2);
    await provider.close();
  });

  test("that are too short get 503", async () => {
    const provider = await newProvider();
    const { publicJwk } = provider.key;
    provider.publish({ publicJwk: { ...publicJwk, n: publicJwk.n!.slice(0, 128) } });
    expectProblem(await come(await provider.sign(ada)), "sign-in-unavailable");
    expect(server().log.takeErrors()).toHaveLength(1);
    await provider.close();
  });

  test.for(["PS256", "ES256", "EdDSA"])(
    "may have another algorithm if the rule lists it: %s",
    async (alg) => {
      const provider = await newProvider("--algorithms", `RS256,${alg}`);
      const other = await provider.newKey(alg);
      provider.publish(provider.key, other);
      expect((await come(await provider.sign(ada))).status).toBe(200);
      expect((await come(await provider.sign(ada, { with: other }))).status).toBe(200);
      const strict = await newProvider();
      const strictOther = await strict.newKey(alg);
      strict.publish(strict.key, strictOther);
      expectProblem(await come(await strict.sign(ada, { with: strictOther })), "invalid-token");
      await provider.close();
      await strict.close();
    },
  );

  test("of one provider do not verify tokens of another", async () => {
    const [one, two] = [await newProvider(), await newProvider()];
    const forged = await two.sign({ ...ada, iss: one.issuer }, { head: { kid: one.key.kid } });
    expectProblem(await come(forged), "invalid-token");
    expectProblem(await come(await two.sign({ ...ada, iss: "parlance" })), "invalid-token");
    await one.close();
    await two.close();
  });
});

describeServer("a forged signature of a provider", { on: ["sqlite"] }, (server) => {
  let provider: Issuer;
  beforeAll(async () => {
    provider = await providerOf(server());
    await acceptTokensOf(server(), provider);
  });
  afterAll(async () => await provider.close());

  const claims = () => ({
    iss: provider.issuer,
    sub: "auth0|ada",
    exp: Math.floor(server().clock.now() / 1000) + 300,
  });
  const come = async (token: string) => await withProviderToken(server(), token).ask("threads.list");

  test("CVE-2015-9235: the public key is not accepted as a shared secret", async () => {
    const key = await importJWK(provider.key.publicJwk, "RS256", { extractable: true });
    const secrets = [
      await exportSPKI(key as never),
      provider.key.publicJwk.n!,
      JSON.stringify(provider.key.publicJwk),
    ];
    for (const secret of secrets) {
      for (const alg of ["HS256", "HS384", "HS512"]) {
        const forged = await new SignJWT(claims())
          .setProtectedHeader({ alg, kid: provider.key.kid })
          .sign(new TextEncoder().encode(secret.padEnd(64, " ")));
        expectProblem(await come(forged), "invalid-token");
      }
    }
  });

  test("a token without a signature is refused", async () => {
    const unsigned = new UnsecuredJWT(claims()).encode();
    const [, payload] = unsigned.split(".");
    const [head, , signature] = (await provider.sign({ sub: "auth0|eve" })).split(".");
    for (const alg of ["none", "None", "NONE", "nOnE", "", "RS256"]) {
      const forgedHead = base64url.encode(JSON.stringify({ alg, kid: provider.key.kid }));
      for (const end of ["", signature, "AAAA"])
        expectProblem(await come(`${forgedHead}.${payload}.${end}`), "invalid-token");
    }
    expectProblem(await come(`${head}.${payload}.${signature}`), "invalid-token");
    expectProblem(await come(`${head}.${payload}.`), "invalid-token");
  });

  test("CVE-2018-0114: a key in the token, or at a URL in it, is never used", async () => {
    const own = await provider.newKey();
    const before = provider.requestCount();
    for (const head of [
      { jwk: own.publicJwk },
      { kid: undefined, jwk: own.publicJwk },
      { jku: provider.jwksUrl },
      { jku: "http://169.254.169.254/latest/meta-data" },
      { x5u: "http://127.0.0.1:1/cert.pem", x5c: ["AAAA"] },
      { kid: provider.key.kid, jwk: own.publicJwk },
    ])
      expectProblem(
        await come(await provider.sign({ sub: "auth0|ada" }, { with: own, head })),
        "invalid-token",
      );
    expect(provider.requestCount() - before).toBeLessThanOrEqual(1);
  });

  test.for([
    "../../../../dev/null",
    "/dev/null",
    "file:///etc/passwd",
    "' or 1=1 --",
    "key-1\0",
    "__proto__",
    "constructor",
    "",
    "x".repeat(4_000),
  ])("a kid is only a name: %j", async (kid) => {
    const own = await provider.newKey();
    expectProblem(
      await come(await provider.sign({ sub: "auth0|ada" }, { with: own, head: { kid } })),
      "invalid-token",
    );
  });

  test("an unusual header, and a payload that is not an object, are refused", async () => {
    const token = await provider.sign({ sub: "auth0|ada" });
    const [head, payload, signature] = token.split(".");
    for (const odd of [{ kid: 7 }, { kid: ["key-1"] }, { crit: ["exp"] }, { crit: ["b64"], b64: false }]) {
      const forged = base64url.encode(JSON.stringify({ alg: "RS256", kid: provider.key.kid, ...odd }));
      expectProblem(await come(`${forged}.${payload}.${signature}`), "invalid-token");
    }
    for (const forged of ["null", "7", "[]", '"text"', "{", JSON.stringify({ iss: null })])
      expectProblem(await come(`${head}.${base64url.encode(forged)}.${signature}`), "invalid-token");
  });

  test("a token of many thousand characters is refused", async () => {
    const long = await provider.sign({ sub: "auth0|ada", more: "x".repeat(8_000) });
    expect((await come(long)).status).toBe(200);
    for (const size of [20_000, 200_000]) {
      const answer = await come(await provider.sign({ sub: "auth0|ada", more: "x".repeat(size) }));
      expect(answer.status).toBe(431);
    }
    expect((await come(await provider.sign({ sub: "auth0|ada" }))).status).toBe(200);
  });
});
