import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import { startOpenIdProvider } from "#fixtures/openid-provider/openid-provider.ts";
import { echo, repeat, startToolServer } from "#fixtures/tool-server.ts";
import {
  createOwner,
  join,
  newEmail,
  openToEveryone,
  signIn as signInBrowser,
  type Browser,
} from "../support/clients/browser.ts";
import { callTool } from "../support/clients/tool-calls.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, startTestServer, test } from "../support/servers/server.ts";

const target = await startToolServer();
const signInServer = await startOpenIdProvider({ forToolServers: true });
afterAll(async () => await Promise.all([target.close(), signInServer.close()]));

describeServer("signing in to tool servers", { model: true }, (server, engine) => {
  let owner: Browser;
  let ben: Visitor;
  let email: string;
  let wanted: string[];
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    email = newEmail("ben");
    ben = await join(owner, { email });
    signInServer.allowRedirect(`${server().url}/settings/tools`);
  });
  beforeEach(async () => {
    for (const { id } of (await owner.call("toolServers.list")).servers)
      await owner.call("toolServers.remove", { params: { tool_server_id: id } });
    wanted = ["tools:read"];
    target.metadata = {
      resource: target.endpoint,
      authorization_servers: [signInServer.issuer],
      scopes_supported: ["tools:read"],
    };
    target.accepts = async (token) => {
      const scopes = await signInServer.scopesOf(token, target.endpoint);
      return scopes !== undefined && wanted.every((scope) => scopes.includes(scope));
    };
    target.tools = [echo("echo")];
    target.call = repeat;
    target.hijack = undefined;
  });

  const create = async () =>
    (
      await owner.call("toolServers.create", {
        body: { name: "Garden", url: target.endpoint, is_shared: true },
      })
    ).server;
  const paramsOf = ({ id }: { id: string }) => ({ params: { tool_server_id: id } });
  const stateFor = async (who: Visitor) => (await who.call("toolServers.list")).servers[0]?.sign_in;

  /** Signs in as a person would, in the browser. */
  async function signIn(who: Visitor, added: { id: string }, login = "ben"): Promise<void> {
    const { url, flow } = await who.call("toolServers.startSignIn", paramsOf(added));
    const back = await signInServer.signIn(url, login);
    await who.call("toolServers.finishSignIn", { body: { flow, response: back.search } });
    await who.call("toolServers.test", paramsOf(added));
  }

  test("people sign in themselves, and each call has their own token", async () => {
    const added = await create();
    expect(await ben.call("toolServers.test", paramsOf(added))).toMatchObject({
      problem: "tool-server-needs-sign-in",
      tools: [],
    });
    expect(await stateFor(ben)).toBe("needed");
    const started = await ben.call("toolServers.startSignIn", paramsOf(added));
    expect(started.host).toBe(new URL(signInServer.issuer).host);
    const asked = new URL(started.url).searchParams;
    expect(asked.get("code_challenge_method")).toBe("S256");
    expect(asked.get("resource")).toBe(target.endpoint);
    await signIn(ben, added);
    await signIn(owner, added, "ada");
    expect(await stateFor(ben)).toBe("done");
    target.requests.length = 0;
    expect(await callTool(ben, "garden__echo", { text: "mine" })).toMatchObject({ result: "mine" });
    const benToken = target.requests.at(-1)?.headers.authorization;
    await callTool(owner, "garden__echo", { text: "yours" });
    expect(target.requests.at(-1)?.headers.authorization).not.toBe(benToken);
    const rows = await rawSql(server().place, async (run) => await run("select * from tool_server_sign_ins"));
    expect(JSON.stringify(rows)).not.toContain(benToken!.slice("Bearer ".length));
    await ben.call("toolServers.signOut", paramsOf(added));
    expect([await stateFor(ben), await stateFor(owner)]).toEqual(["needed", "done"]);
  });

  test("a sign-in is finished once, by the person and with the state that began it", async () => {
    const added = await create();
    const { url, flow } = await ben.call("toolServers.startSignIn", paramsOf(added));
    const back = await signInServer.signIn(url, "ben");
    const body = { flow, response: back.search };
    await owner.fails("sign-in-expired", "toolServers.finishSignIn", { body });
    await ben.call("toolServers.finishSignIn", { body });
    await ben.fails("sign-in-expired", "toolServers.finishSignIn", { body });
    for (const change of ["state", "iss", "code"]) {
      const again = await ben.call("toolServers.startSignIn", paramsOf(added));
      const response = (await signInServer.signIn(again.url, "ben")).searchParams;
      response.set(change, "https://evil.example");
      await ben.fails("sign-in-failed", "toolServers.finishSignIn", {
        body: { flow: again.flow, response: `?${response.toString()}` },
      });
    }
  });

  test("a token is refreshed before it expires, once for all that use it", async () => {
    const added = await create();
    await signIn(ben, added);
    const before = signInServer.refreshes;
    server().clock.advance(9.5 * 60_000);
    await Promise.all(
      Array.from({ length: 6 }, async () => await ben.call("toolServers.test", paramsOf(added))),
    );
    expect(signInServer.refreshes).toBe(before + 1);
    expect(await callTool(ben, "garden__echo", { text: "still" })).toMatchObject({ result: "still" });
    expect(await stateFor(ben)).toBe("done");
  });

  test("a refused token is refreshed, and a sign-in that ended is offered again without failing the answer", async () => {
    const added = await create();
    await signIn(ben, added);
    const stored = async () =>
      await rawSql(server().place, async (run) =>
        String((await run("select * from tool_server_sign_ins"))[0]!.ciphertext),
      );
    const former = await stored();
    const refused = new Set<string>();
    const { accepts } = target;
    target.accepts = async (token) => {
      if (refused.size === 0) refused.add(token);
      return !refused.has(token) && (await accepts!(token));
    };
    expect(await callTool(ben, "garden__echo", { text: "again" })).toMatchObject({ result: "again" });
    expect(await stateFor(ben)).toBe("done");
    // As after a restore: the former refresh token does not count any more.
    target.accepts = () => false;
    await rawSql(
      server().place,
      async (run) => await run(`update tool_server_sign_ins set ciphertext = '${former}'`),
    );
    const ended = await callTool(ben, "garden__echo", { text: "gone" });
    expect(ended).toMatchObject({
      isError: true,
      result: { error: expect.stringContaining("sign in") as string },
    });
    expect(await stateFor(ben)).toBe("needed");
  });

  test("a server that wants more rights for a call gets them after the person has signed in again", async () => {
    const added = await create();
    await signIn(ben, added);
    const { accepts } = target;
    target.accepts = async (token) => {
      if (!(await accepts!(token))) return false;
      return (await signInServer.scopesOf(token, target.endpoint))!.includes("tools:write") || "insufficient";
    };
    expect(await callTool(ben, "garden__echo", { text: "write" })).toMatchObject({
      isError: true,
      result: { error: expect.stringContaining("sign in") as string },
    });
    expect(await stateFor(ben)).toBe("needed");
    const { url } = await ben.call("toolServers.startSignIn", paramsOf(added));
    expect(new URL(url).searchParams.get("scope")).toContain("tools:write");
    await signIn(ben, added);
    expect(await callTool(ben, "garden__echo", { text: "write" })).toMatchObject({ result: "write" });
  });

  test("a tool server cannot send people to another sign-in server later, nor ask for another server’s token", async () => {
    const added = await create();
    await ben.call("toolServers.startSignIn", paramsOf(added));
    const other = await startOpenIdProvider({ forToolServers: true });
    other.allowRedirect(`${server().url}/settings/tools`);
    target.metadata = { ...target.metadata, authorization_servers: [other.issuer] };
    await ben.fails("tool-server-sign-in-moved", "toolServers.startSignIn", paramsOf(added));
    await owner.call("toolServers.change", { ...paramsOf(added), body: { name: "Garden" } });
    await ben.call("toolServers.startSignIn", paramsOf(added));
    target.metadata = { ...target.metadata, resource: "https://bank.example/mcp" };
    await ben.fails("tool-server-without-sign-in", "toolServers.startSignIn", paramsOf(added));
    await other.close();
  });

  test("a sign-in page that is no web page is not opened", async () => {
    const added = await create();
    const issuer = target.url;
    target.metadata = { ...target.metadata, authorization_servers: [issuer] };
    target.hijack = (request, response) => {
      if (request.url !== "/.well-known/oauth-authorization-server") return false;
      const document = {
        issuer,
        authorization_endpoint: "javascript:alert(document.cookie)//",
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${signInServer.issuer}/reg`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      };
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(document));
      return true;
    };
    await ben.fails("tool-server-without-sign-in", "toolServers.startSignIn", paramsOf(added));
  });

  test("a sign-in server that sends without end is given up after a megabyte or so", async () => {
    const added = await create();
    target.metadata = { ...target.metadata, authorization_servers: [target.url] };
    const chunk = " ".repeat(1024 * 1024);
    let sentMb = 0;
    target.hijack = (request, response) => {
      if (request.url !== "/.well-known/oauth-authorization-server") return false;
      response.writeHead(200, { "Content-Type": "application/json" });
      Readable.from(
        (function* () {
          for (; sentMb < 64; sentMb++) yield chunk;
        })(),
      )
        .on("error", () => {})
        .pipe(response);
      return true;
    };
    await ben.fails("tool-server-without-sign-in", "toolServers.startSignIn", paramsOf(added));
    expect(sentMb).toBeGreaterThan(0);
    expect(sentMb).toBeLessThan(64);
  });

  if (engine === "postgres")
    test("two servers refresh a token once", async () => {
      const added = await create();
      await signIn(ben, added);
      const second = await startTestServer({ engine, place: server().place });
      const there = await signInBrowser(second.url, email);
      const before = signInServer.refreshes;
      server().clock.advance(9.5 * 60_000);
      second.clock.advance(server().clock.now() - second.clock.now());
      let isDone = false;
      const tested = Promise.all(
        [ben, there].map(async (who) => await who.call("toolServers.test", paramsOf(added))),
      ).finally(() => (isDone = true));
      await vi.waitFor(() => {
        // Who waits for the other one looks again.
        for (const { clock } of [server(), second]) clock.advance(150);
        expect(isDone).toBe(true);
      }, 10_000);
      expect((await tested).map(({ problem }) => problem)).toEqual([null, null]);
      expect(signInServer.refreshes).toBe(before + 1);
      await second.close();
    });

  test("the callback address and the client’s metadata are public, and name this server", async () => {
    expect(await server().guest.call("toolServers.client")).toMatchObject({
      redirect_uris: [`${server().url}/settings/tools`],
      token_endpoint_auth_method: "none",
    });
  });
});
