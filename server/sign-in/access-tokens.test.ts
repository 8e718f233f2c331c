import { decodeJwt, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { createAccessTokens, type Claims } from "./access-tokens.ts";

const secret = "a secret for tests that is long enough";
const start = Date.UTC(2026, 0, 31);
const ada: Claims = {
  userId: "usr_0a",
  kind: "member",
  appId: "proj_0a",
  workspaceId: "wsp_0a",
  workspaceName: "usr_0a",
  credentialId: "ses_0a",
};

function tokensAt(nowMs: number, own = secret) {
  return createAccessTokens({ secret: own, clock: { now: () => nowMs, sleep: async () => {} } });
}

describe("an access token", () => {
  test("identifies its visitor for five minutes", async () => {
    const token = await tokensAt(start).sign(ada);
    expect(await tokensAt(start).verify(token)).toEqual(ada);
    expect(await tokensAt(start + 299_000).verify(token)).toEqual(ada);
    await expect(tokensAt(start + 300_000).verify(token)).rejects.toMatchObject({ code: "token-expired" });
  });

  test("is valid ten seconds before it was issued, for slow clocks, and not earlier", async () => {
    const token = await tokensAt(start).sign(ada);
    expect(await tokensAt(start - 10_000).verify(token)).toEqual(ada);
    await expect(tokensAt(start - 12_000).verify(token)).rejects.toMatchObject({ code: "token-expired" });
  });

  test("has the claims that the protocol's clients and servers read", async () => {
    const claims = decodeJwt(await tokensAt(start).sign(ada));
    expect(claims).toMatchObject({
      sub: "usr_0a",
      workspace_id: "usr_0a",
      project_id: "proj_0a",
      iss: "parlance",
      iat: start / 1000,
    });
  });

  test("is refused with another algorithm or other claims, even if signed with our secret", async () => {
    const claims = decodeJwt(await tokensAt(start).sign(ada));
    const sign = async (alg: string, more: object = {}) =>
      await new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg })
        .sign(
          new TextEncoder().encode(secret.padEnd(64, "x").slice(0, alg === "HS256" ? secret.length : 64)),
        );
    const longSecret = secret.padEnd(64, "x");
    const tokens = tokensAt(start, longSecret);
    for (const alg of ["HS384", "HS512"]) {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(longSecret));
      await expect(tokens.verify(token), alg).rejects.toMatchObject({ code: "invalid-token" });
    }
    const others: object[] = [
      { iss: "another" },
      { sub: 7 },
      { kind: undefined },
      { wid: null },
      { cid: {} },
      { exp: undefined, wid: undefined },
    ];
    for (const more of others)
      await expect(
        tokensAt(start).verify(await sign("HS256", more)),
        JSON.stringify(more),
      ).rejects.toMatchObject({ code: "invalid-token" });
  });

  test("is refused if signed with another secret", async () => {
    const token = await tokensAt(start, "another secret that is long enough").sign(ada);
    await expect(tokensAt(start).verify(token)).rejects.toMatchObject({ code: "invalid-token" });
  });
});
