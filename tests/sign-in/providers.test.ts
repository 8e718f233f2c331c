import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect } from "vitest";
import type { Issuer } from "#fixtures/issuer/issuer.ts";
import { apiKey } from "#fixtures/people.ts";
import { runCommandJson } from "../support/servers/cli.ts";
import { expectProblem } from "../support/clients/problem.ts";
import {
  exchangedToken,
  providerOf,
  acceptTokensOf,
  withProviderToken,
} from "../support/servers/provider.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { bearer, keyHeaders, signUp, visitor } from "../support/clients/visitor.ts";

const now = () => new Date().toISOString();

describeServer("a token of the operator's own sign-in provider", { model: true }, (server) => {
  let provider: Issuer;
  beforeAll(async () => {
    provider = await providerOf(server());
    await acceptTokensOf(server(), provider, "--audience", "parlance");
    await acceptTokensOf(server(), provider, "--audience", "teams", "--workspace-claim", "org_id");
    await acceptTokensOf(server(), provider, "--audience", "nested", "--workspace-claim", "o.id");
  });
  afterAll(async () => await provider.close());

  const sign = async (claims: Record<string, unknown>) => await provider.sign({ aud: "parlance", ...claims });
  const come = async (claims: Record<string, unknown>, name?: string) =>
    withProviderToken(server(), await sign(claims), name);
  const refused = async (claims: Record<string, unknown>) => await (await come(claims)).ask("threads.list");

  test("identifies the person it names, in their own workspace or in that of a claim", async () => {
    const ada = await come({ sub: "auth0|ada" });
    expect(await ada.call("auth.me")).toMatchObject({
      user_id: "auth0|ada",
      workspace_id: "auth0|ada",
      kind: "member",
    });
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: now() } });
    const again = await come({ sub: "auth0|ada", aud: ["else", "parlance"] });
    expect((await again.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);
    const ben = await come({ sub: "auth0|ben" }, "ben");
    await ben.fails("thread-not-found", "threads.get", { params: { thread_id } });

    const colleague = async (sub: string) => await come({ sub, aud: "teams", org_id: "org_1" });
    const shared = await (
      await colleague("auth0|ada")
    ).call("threads.create", { body: { last_message_at: now() } });
    const seen = await (await colleague("auth0|ben")).call("threads.list");
    expect(seen.threads.map(({ id }) => id)).toEqual([shared.thread_id]);
    const nested = await come({ sub: "auth0|cleo", aud: "nested", o: { id: "org_1" } });
    expect((await nested.call("threads.list")).threads).toHaveLength(1);
  });

  test("has the same workspace as an API key that uses its name", async () => {
    const ada = await come({ sub: "user_shared" });
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: now() } });
    const backend = server().inWorkspace("user_shared");
    expect((await backend.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);
  });

  test.for([
    ["of an issuer that nobody knows", { iss: "https://login.example.com/" }, "unknown-issuer"],
    ["of an issuer that is almost the right one", { iss: "without its slash" }, "unknown-issuer"],
    ["of no issuer", { iss: undefined }, "invalid-token"],
    ["of an issuer that is no text", { iss: 7 }, "invalid-token"],
    ["of an issuer that is an object", { iss: { toString: "x" } }, "invalid-token"],
    ["of an issuer with a NUL", { iss: "https://login.example.com/\0" }, "invalid-token"],
    ["for another audience", { aud: "else" }, "wrong-audience"],
    ["for no audience", { aud: undefined }, "wrong-audience"],
    ["for an audience in other letters", { aud: "Parlance" }, "wrong-audience"],
    ["for an audience that is no text", { aud: { parlance: true } }, "wrong-audience"],
    ["that has expired", { exp: 1 }, "token-expired"],
    ["that is not valid yet", { nbf: 4_000_000_000 }, "token-expired"],
    ["that never expires", { exp: undefined }, "invalid-token"],
    ["that expires when somebody says so", { exp: "never" }, "invalid-token"],
    ["of nobody", { sub: undefined }, "invalid-token"],
    ["of a person without a name", { sub: "" }, "invalid-token"],
    ["of a person who is a number", { sub: 7 }, "invalid-token"],
    ["of a person with spaces", { sub: "ada lovelace" }, "invalid-token"],
    ["of a person with a NUL", { sub: "ada\0" }, "invalid-token"],
    ["of a person with half a character", { sub: "ada\ud800" }, "invalid-token"],
    ["of a person with a long name", { sub: "x".repeat(256) }, "invalid-token"],
    ["without its workspace", { aud: "teams" }, "workspace-claim-missing"],
    ["with an empty workspace", { aud: "teams", org_id: "" }, "workspace-claim-missing"],
    ["with a workspace that is a number", { aud: "teams", org_id: 7 }, "workspace-claim-missing"],
    ["with a workspace of two words", { aud: "teams", org_id: "a b" }, "workspace-claim-missing"],
    [
      "with a workspace that all objects have",
      { aud: "nested", o: "constructor" },
      "workspace-claim-missing",
    ],
    ["with half of a nested workspace", { aud: "nested", o: null }, "workspace-claim-missing"],
  ] as const)("%s is refused", async ([, claims, code]) => {
    const odd = "iss" in claims && claims.iss === "without its slash";
    const given = odd ? { iss: provider.issuer.slice(0, -1) } : claims;
    const answer = await refused({ sub: "auth0|ada", ...given });
    expectProblem(answer, code);
    expect(exchangedToken(answer)).toBeUndefined();
  });

  test("may differ by ten seconds from the server's clock", async () => {
    const nowSeconds = Math.floor(server().clock.now() / 1000);
    const ask = async (claims: object) => (await refused({ sub: "auth0|ada", ...claims })).status;
    expect(await ask({ exp: nowSeconds - 5 })).toBe(200);
    expect(await ask({ nbf: nowSeconds + 5 })).toBe(200);
    expect(await ask({ exp: nowSeconds - 20 })).toBe(401);
    expect(await ask({ nbf: nowSeconds + 20 })).toBe(401);
  });

  test("is exchanged for our own token in every answer, and that one is not exchanged again", async () => {
    const ada = await come({ sub: "auth0|exchange" });
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: now() } });
    const Origin = "http://localhost:5173";
    const json = { Origin, "Content-Type": "application/json" };
    const answers = {
      200: await ada.send("GET", "/v1/threads", { headers: { Origin } }),
      400: await ada.send("POST", "/v1/threads", { headers: json, body: "{" }),
      403: await ada.send("POST", "/v1/auth/tokens", { headers: json }),
      404: await ada.send("GET", "/v1/threads/x", { headers: { Origin } }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status));
      const token = exchangedToken(answer);
      expect(token, status).toBeDefined();
      expect(answer.headers.get("access-control-expose-headers")).toContain("Authorization");
      const claims = decodeJwt(token!);
      expect(claims).toMatchObject({ sub: "auth0|exchange", workspace_id: "auth0|exchange" });
      expect(claims.exp! - claims.iat!).toBe(300);
    }
    expectProblem(answers[403], "backend-only");
    const app = await ada.ask("apps.threads");
    expectProblem(app, "backend-only");
    expect(exchangedToken(app)).toBeDefined();

    const ours = withProviderToken(server(), exchangedToken(answers[200])!);
    const listed = await ours.ask("threads.list");
    expect(listed.body.threads.map(({ id }) => id)).toEqual([thread_id]);
    expect(exchangedToken(listed)).toBeUndefined();
    server().clock.advance(301_000);
    await ours.fails("token-expired", "threads.list");
  });

  test("is also exchanged in the headers of streams", async () => {
    const token = await sign({ sub: "auth0|streams" });
    const gone = new AbortController();
    const feed = await fetch(`${server().url}/v1/live`, { headers: bearer(token), signal: gone.signal });
    expect(exchangedToken(feed)).toBeDefined();
    gone.abort();
    const ada = withProviderToken(server(), token);
    const { thread_id } = await ada.call("threads.create", { body: { last_message_at: now() } });
    const title = await ada.send("POST", "/v1/runs/stream", {
      headers: { "Content-Type": "application/json", Accept: "text/plain" },
      body: JSON.stringify({
        thread_id,
        assistant_id: "system/thread_title",
        response_format: "vercel-ai-data-stream/v1",
        messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      }),
    });
    expect(title.status).toBe(200);
    expect(exchangedToken(title)).toBeDefined();
  });

  test("is exchanged, but no key and no minted or anonymous token is", async () => {
    const { access_token } = await signUp(server().url);
    const backend = server().inNewWorkspace();
    const { token } = await backend.call("auth.mint");
    const answers = [
      await backend.ask("threads.list"),
      await withProviderToken(server(), token).ask("threads.list"),
      await withProviderToken(server(), access_token).ask("threads.list"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(exchangedToken(answer)).toBeUndefined();
    }
  });

  test("with an id of our own accounts gives no access to them", async ({ eve }) => {
    const { user_id } = await eve.call("auth.me");
    const { thread_id } = await eve.call("threads.create", { body: { last_message_at: now() } });
    const { thread } = await eve.call("threads.get", { params: { thread_id } });
    const ownerId = `usr_0${"0".repeat(24)}`;
    const ownerWorkspace = `wsp_0${"0".repeat(24)}`;
    const asOwner = await come({ sub: ownerId });
    await asOwner.fails("user-id-of-account", "threads.get", { params: { thread_id } });
    for (const name of [user_id, thread.workspace_id, ownerId, ownerWorkspace, "__SYSTEM__", "usr_deleted"]) {
      const impostors = [
        ...(name === ownerId ? [] : [await come({ sub: name })]),
        await come({ sub: "auth0|mallory", aud: "teams", org_id: name }),
      ];
      for (const impostor of impostors) {
        await impostor.fails("thread-not-found", "threads.get", { params: { thread_id } });
        expect((await impostor.call("threads.list")).threads).toEqual([]);
        expect((await impostor.call("auth.me")).kind).toBe("member");
      }
    }
  });

  test("can claim the threads that its person had without an account", async () => {
    const eve = await signUp(server().url);
    const { thread_id } = await withProviderToken(server(), eve.access_token).call("threads.create", {
      body: { last_message_at: now() },
    });
    const ada = await come({ sub: "auth0|claims" });
    const body = { refresh_token: eve.refresh_token.token };
    expect(await ada.call("threads.claim", { body })).toEqual({ moved: 1 });
    expect((await ada.call("threads.list")).threads.map(({ id }) => id)).toEqual([thread_id]);
  });

  test("does not read or erase an app, nor mint tokens", async () => {
    const ada = await come({ sub: "auth0|ada" });
    await ada.fails("backend-only", "auth.mint");
    await ada.fails("backend-only", "apps.runs");
    await ada.fails("backend-only", "apps.eraseUser", { params: { user_id: "auth0|ada" } });
  });

  test("is not logged", async () => {
    const token = await sign({ sub: "auth0|logged" });
    const answer = await withProviderToken(server(), token).ask("threads.list");
    await refused({ sub: "auth0|logged", exp: 1 });
    expect(server().log.text()).not.toContain(token.split(".")[2]);
    expect(server().log.text()).not.toContain(exchangedToken(answer)!.split(".")[2]);
  });

  test("of one issuer belongs to the app whose rule has its audience", async () => {
    const two = await providerOf(server());
    await runCommandJson(server().place, "app", "create", "two");
    const { key } = await runCommandJson<{ key: string }>(
      server().place,
      "key",
      "create",
      "k",
      "--app",
      "two",
    );
    await acceptTokensOf(server(), two);
    await acceptTokensOf(server(), two, "--audience", "second", "--app", "two");
    const ask = async (aud: unknown) => {
      const ada = withProviderToken(server(), await two.sign({ sub: "auth0|same", aud }));
      const { thread_id } = await ada.call("threads.create", { body: { last_message_at: now() } });
      return thread_id;
    };
    const [any, second, both] = [await ask("first"), await ask("second"), await ask(["first", "second"])];
    const listOf = async (bearerKey: string) => {
      const backend = visitor(
        server().url,
        "backend",
        keyHeaders(bearerKey, { userId: "x", workspaceId: "auth0|same" }),
      );
      return (await backend.call("threads.list")).threads.map(({ id }) => id).toSorted();
    };
    expect(await listOf(key)).toEqual([second, both].toSorted());
    expect(await listOf(apiKey)).toEqual([any]);
    await two.close();
  });

  test("that matches two rules uses the older one", async () => {
    const two = await providerOf(server());
    await acceptTokensOf(server(), two, "--audience", "z-first", "--workspace-claim", "first");
    await acceptTokensOf(server(), two, "--audience", "a-second", "--workspace-claim", "second");
    const claims = { sub: "auth0|both", aud: ["a-second", "z-first"], first: "org_first", second: "org_2nd" };
    const both = withProviderToken(server(), await two.sign(claims));
    expect((await both.call("auth.me")).workspace_id).toBe("org_first");
    await two.close();
  });

  test("ends with its rule, and so do the tokens exchanged for it and open streams", async () => {
    const third = await providerOf(server());
    const rule = await acceptTokensOf(server(), third);
    const token = await third.sign({ sub: "auth0|leaves" });
    const ada = withProviderToken(server(), token);
    const ours = withProviderToken(server(), exchangedToken(await ada.ask("threads.list"))!);
    expect((await ours.ask("threads.list")).status).toBe(200);
    const feed = await ours.live();
    await feed.next();
    await runCommandJson(server().place, "jwt-rule", "remove", rule);
    await ada.fails("unknown-issuer", "threads.list");
    await ours.fails("invalid-token", "threads.list");
    await feed.rest();
    await third.close();
  });
});
