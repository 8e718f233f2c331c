import { describe, expect } from "vitest";
import { decodeJwt } from "jose";
import { describeServer, test } from "../support/servers/server.ts";
import {
  anonymousCloud,
  clients,
  newestClient,
  inBrowser,
  storedToken,
  keyCloud,
  errorOf,
  expectedError,
  tokenCloud,
} from "./clients.ts";

describeServer("a client's identity", {}, (server) => {
  describe.for(clients)("%s", ([, client]) => {
    test("signs up automatically, and stays the same user after a reload", async () => {
      const stored = new Map<string, string>();
      const threadId = await inBrowser(stored, async () => {
        const cloud = anonymousCloud(client, server());
        return (await cloud.threads.create({ last_message_at: new Date() })).thread_id;
      });
      const { token, expires_at } = storedToken(server(), stored);
      expect(token).toMatch(/^refresh_0/);
      expect(new Date(expires_at).toISOString()).toBe(expires_at);
      expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(29 * 24 * 3_600_000);
      await inBrowser(stored, async () => {
        const { threads } = await anonymousCloud(client, server()).threads.list();
        expect(threads.map(({ id }) => id)).toEqual([threadId]);
        expect(threads[0]?.workspace_id).toMatch(/^usr_anon_0/);
      });
      expect(storedToken(server(), stored).token).toBe(token);
    });

    test("signs up again if the stored token is invalid", async () => {
      const dead = JSON.stringify({
        token: "refresh_0dead",
        expires_at: new Date(Date.now() + 1e9).toISOString(),
      });
      const stored = new Map([[`aui:refresh_token:${server().url}`, dead]]);
      await inBrowser(stored, async () =>
        expect((await anonymousCloud(client, server()).threads.list()).threads).toEqual([]),
      );
      expect(storedToken(server(), stored).token).not.toBe("refresh_0dead");
    });

    test("can be a token minted with an API key for a user", async () => {
      const workspaceId = `minted_${crypto.randomUUID()}`;
      const backend = keyCloud(client, server(), { userId: "user_ada", workspaceId });
      const { thread_id } = await backend.threads.create({
        last_message_at: new Date(),
        title: "From the backend",
      });
      const { token } = await backend.auth.tokens.create();
      expect(decodeJwt(token)).toMatchObject({ sub: "user_ada", workspace_id: workspaceId });
      let requests = 0;
      const browser = tokenCloud(client, server(), async () => (requests++, token));
      expect((await browser.threads.list()).threads.map(({ id }) => id)).toEqual([thread_id]);
      expect((await browser.threads.get(thread_id)).title).toBe("From the backend");
      expect(requests).toBe(1);
      expect(await errorOf(browser.auth.tokens.create())).toEqual(expectedError(client, "backend-only"));
    });
  });

  test("stays one user when many tabs of a browser refresh concurrently", async () => {
    const stored = new Map<string, string>();
    await inBrowser(
      stored,
      async () =>
        void (await anonymousCloud(newestClient, server()).threads.create({ last_message_at: new Date() })),
    );
    const before = storedToken(server(), stored);
    // Each request is another tab: they share no promise.
    const lists = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await fetch(`${server().url}/v1/auth/tokens/refresh`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ refresh_token: before.token }),
        });
        const { access_token } = (await response.json()) as { access_token: string };
        return await tokenCloud(newestClient, server(), async () => access_token).threads.list();
      }),
    );
    for (const { threads } of lists) expect(threads).toHaveLength(1);
  });

  test("is an access token with the claims that clients read, which no response rotates", async () => {
    const stored = new Map<string, string>();
    const response = await fetch(`${server().url}/v1/auth/tokens/anonymous`, { method: "POST" });
    const { access_token } = (await response.json()) as { access_token: string };
    const { exp, iat, nbf, sub, workspace_id } = decodeJwt(access_token);
    expect(exp! - iat!).toBe(300);
    expect(iat! - nbf!).toBe(10);
    expect(workspace_id).toBe(sub);
    await inBrowser(stored, async () => {
      const cloud = anonymousCloud(newestClient, server());
      await cloud.threads.list();
    });
    const list = await fetch(`${server().url}/v1/threads`, {
      headers: { Authorization: `Bearer ${access_token}` },
    });
    expect(list.headers.get("authorization")).toBeNull();
  });

  test("is refused for a key with a missing or invalid workspace or an invalid user", async () => {
    const broken = [
      { workspaceId: "two words" },
      { workspaceId: "x".repeat(256) },
      { workspaceId: "" },
      { userId: "two words" },
      { userId: "" },
    ];
    for (const who of broken) {
      const code = "userId" in who ? "invalid-user-header" : "invalid-workspace-header";
      expect(await errorOf(keyCloud(newestClient, server(), who).threads.list())).toEqual(
        expectedError(newestClient, code),
      );
    }
  });

  test("with a key never gives access to an anonymous user's workspace of the same name", async ({ eve }) => {
    const [, client] = clients[0];
    const { user_id } = await eve.call("auth.me");
    await eve.call("threads.create", { body: { last_message_at: new Date().toISOString(), title: "Mine" } });
    const impostor = keyCloud(client, server(), { userId: user_id, workspaceId: user_id });
    expect((await impostor.threads.list()).threads).toEqual([]);
  });
});
