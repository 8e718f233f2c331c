import { describe, expect } from "vitest";
import type { Me } from "#contract/endpoints/auth.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawRequest } from "../support/clients/raw-request.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import { bearer, newAddress, signUp, type Answer } from "../support/clients/visitor.ts";

const ownPage = { "Parlance-Client": "web" };

/** A browser with our own page. It keeps its cookie. */
function browser(server: TestServer) {
  let cookie = "";
  const send = async (
    method: string,
    path: string,
    more: { headers?: Record<string, string>; body?: object } = {},
  ): Promise<Answer> => {
    const headers = {
      ...ownPage,
      ...newAddress(),
      ...(cookie === "" ? {} : { Cookie: cookie }),
      ...more.headers,
    };
    const body = more.body === undefined ? {} : { body: JSON.stringify(more.body) };
    const answer = await server.guest.send(method, path, {
      headers: { "Content-Type": "application/json", ...headers },
      ...body,
    });
    const set = answer.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0]!;
    return answer;
  };
  return {
    send,
    cookie: () => cookie,
    open: async (body: object = {}) => (await send("POST", "/v1/auth/session", { body })) as Answer<Me>,
    me: async (headers: Record<string, string> = {}) =>
      (await send("GET", "/v1/auth/me", { headers })) as Answer<Me>,
  };
}

const secretOf = (server: TestServer): string => server.ownerLink.split("#")[1]!;

describeServer("our own page's session", {}, (server) => {
  test("is opened once and stays that of the same person", async () => {
    const page = browser(server());
    const opened = await page.open();
    expect(opened.body).toMatchObject({ kind: "anonymous" });
    expect((await page.me()).body).toEqual(opened.body);
    expect((await page.open()).body).toEqual(opened.body);
    const other = browser(server());
    expect((await other.open()).body.user_id).not.toBe(opened.body.user_id);
  });

  test("has a cookie that scripts cannot read and that is not sent to other origins", async () => {
    const answer = await browser(server()).open();
    const cookie = answer.headers.get("set-cookie")!;
    expect(cookie).toMatch(new RegExp(`^parlance_${server().port}=session_0[0-9a-z]{48}; `));
    expect(cookie).toContain("; HttpOnly");
    expect(cookie).toContain("; SameSite=Strict");
    expect(cookie).toContain("; Path=/");
    expect(cookie).not.toMatch(/Domain=|Secure/);
    expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1])).toBeGreaterThan(29 * 24 * 3_600);
    expect(answer.text).not.toContain("session_0");
  });

  test("has a token that is not a refresh token, and accepts none", async () => {
    const page = browser(server());
    const { body: me } = await page.open();
    const [name, token] = page.cookie().split("=") as [string, string];
    const refresh_token = token.replace("session_0", "refresh_0");
    for (const stolen of [token, refresh_token]) {
      const body = { refresh_token: stolen };
      await server().guest.fails("invalid-refresh-token", "auth.refresh", { body, headers: newAddress() });
      await server().inNewWorkspace().fails("invalid-refresh-token", "threads.claim", { body });
    }
    expect((await page.me()).body).toEqual(me);
    const { refresh_token: protocols } = await signUp(server().url);
    expectProblem(await page.me({ Cookie: `${name}=${protocols.token}` }), "token-expired");
  });

  test("counts only with our page's own header", async () => {
    const page = browser(server());
    await page.open();
    for (const client of ["", "Web", "app", "web, web"])
      expectProblem(await page.me({ "Parlance-Client": client }), "not-signed-in");
    expect((await page.me()).status).toBe(200);
  });

  test.for([
    "https://evil.example",
    "http://localhost:9",
    "null",
    "file://",
    "http://127.0.0.1.evil.example",
    "nonsense",
  ])("is ignored for a page of %s", async (Origin) => {
    const page = browser(server());
    await page.open();
    expectProblem(await page.me({ Origin }), "not-signed-in");
    expectProblem(
      await page.send("POST", "/v1/auth/session", { headers: { Origin }, body: {} }),
      "not-allowed",
      "origin-not-allowed",
    );
    expectProblem(
      await page.send("DELETE", "/v1/auth/session", { headers: { Origin } }),
      "not-allowed",
      "origin-not-allowed",
    );
    expect((await page.me()).status).toBe(200);
  });

  test.for(["cross-site", "same-site", "none"])(
    "is ignored if the browser sends Sec-Fetch-Site: %s",
    async (site) => {
      const page = browser(server());
      await page.open();
      expectProblem(await page.me({ "Sec-Fetch-Site": site }), "not-signed-in");
      expect((await page.me({ "Sec-Fetch-Site": "same-origin", Origin: server().url })).status).toBe(200);
    },
  );

  test("is ignored with an Authorization header, valid or not", async () => {
    const page = browser(server());
    const { body: me } = await page.open();
    const { access_token } = await signUp(server().url);
    const asOther = await page.me(bearer(access_token));
    expect(asOther.status).toBe(200);
    expect(asOther.body.user_id).not.toBe(me.user_id);
    for (const Authorization of ["Bearer x", "Basic x", "Bearer a.b.c"])
      expectProblem(
        await page.me({ Authorization }),
        "unsupported-credential",
        "unsupported-scheme",
        "invalid-token",
      );
  });

  test("is neither extended nor closed by a request with an Authorization header", async () => {
    const page = browser(server());
    const { body: me } = await page.open();
    const kept = page.cookie();
    const { access_token } = await signUp(server().url);
    const closed = await page.send("DELETE", "/v1/auth/session", { headers: bearer(access_token) });
    expect(closed.status).toBe(200);
    expect((await page.me({ Cookie: kept })).body).toEqual(me);
    const opened = (await page.send("POST", "/v1/auth/session", {
      headers: { ...bearer(access_token), Cookie: kept },
      body: {},
    })) as Answer<Me>;
    expect(opened.body.user_id).not.toBe(me.user_id);
  });

  test("is closed for copies of its cookie too", async () => {
    const page = browser(server());
    const { body: me } = await page.open();
    const kept = page.cookie();
    const closed = await page.send("DELETE", "/v1/auth/session");
    expect(closed.headers.get("set-cookie")).toMatch(/^parlance_\d+=; .*Max-Age=0/);
    expectProblem(await page.me({ Cookie: kept }), "token-expired");
    const token = kept.split("=")[1]!;
    await server().guest.fails("invalid-refresh-token", "auth.refresh", {
      body: { refresh_token: token },
      headers: newAddress(),
    });
    const again = (await page.send("POST", "/v1/auth/session", {
      headers: { Cookie: kept },
      body: {},
    })) as Answer<Me>;
    expect(again.status).toBe(200);
    expect(again.body.user_id).not.toBe(me.user_id);
    expect((await page.send("DELETE", "/v1/auth/session", { headers: { Cookie: "" } })).status).toBe(200);
  });

  test("is not affected by other cookies, also of another server on the same machine", async () => {
    const page = browser(server());
    const { body: me } = await page.open();
    const own = page.cookie();
    for (const Cookie of [
      `a=b; ${own}`,
      `${own}; a=b`,
      ` ${own} `,
      `parlance_1=refresh_0x; ${own}`,
      `;;=;x; ${own}`,
    ])
      expect((await page.me({ Cookie })).body).toEqual(me);
    for (const Cookie of [
      "",
      "x",
      own.replace(/^parlance_\d+/, "parlance_1"),
      own.replace(/^parlance/, "Parlance"),
      `${own}x`,
      `${own.split("=")[0]}=`,
    ]) {
      expectProblem(await page.me({ Cookie }), "not-signed-in", "token-expired");
    }
  });

  test("starts threads, answers and a feed like any other credential", async () => {
    const page = browser(server());
    await page.open();
    const made = await page.send("POST", "/v1/threads", {
      body: { last_message_at: new Date().toISOString() },
    });
    expect(made.status).toBe(201);
    expect(((await page.send("GET", "/v1/threads")).body as { threads: unknown[] }).threads).toHaveLength(1);
    const feed = await fetch(`${server().url}/v1/live`, { headers: { ...ownPage, Cookie: page.cookie() } });
    expect(feed.status).toBe(200);
    await feed.body?.cancel();
  });
});

describeServer("the owner's link", {}, (server) => {
  test("signs every browser that opens it in as the same owner", async () => {
    const [one, two] = [browser(server()), browser(server())];
    await one.open();
    const owner = await one.open({ owner_secret: secretOf(server()) });
    expect(owner.body).toMatchObject({ kind: "admin" });
    expect((await one.me()).body).toEqual(owner.body);
    expect((await two.open({ owner_secret: secretOf(server()) })).body).toEqual(owner.body);
  });

  test("with a wrong secret changes nothing", async () => {
    const page = browser(server());
    const { body: me } = await page.open();
    const secret = secretOf(server());
    for (const owner_secret of [`${secret}x`, secret.slice(0, -1), secret.toUpperCase(), "x"]) {
      const answer = await page.open({ owner_secret });
      expectProblem(answer, "invalid-owner-link");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    for (const owner_secret of ["", "\u0000", 7, null, {}, "x".repeat(300)])
      expectProblem(await page.open({ owner_secret }), "bad-request");
    expect((await page.me()).body).toEqual(me);
  });

  test("has a limit of attempts", async () => {
    const address = newAddress();
    const guess = async (owner_secret: string) =>
      await server().guest.ask("auth.openSession", {
        body: { owner_secret },
        headers: { ...ownPage, ...address },
      });
    for (let i = 0; i < 30; i++) expectProblem(await guess(`guess ${i}`), "invalid-owner-link");
    const refused = await guess(secretOf(server()));
    expectProblem(refused, "rate-limited");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("has its secret in the fragment, which no server or proxy receives", async () => {
    expect(server().ownerLink).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/owner#[\w-]{32}$/);
    expect(server().log.text()).not.toContain(secretOf(server()));
  });

  test("is refused for pages of other origins, and without the header of our page", async () => {
    const body = { owner_secret: secretOf(server()) };
    await server().guest.fails("not-allowed", "auth.openSession", { body, headers: newAddress() });
    await server().guest.fails("not-allowed", "auth.openSession", {
      body,
      headers: { ...newAddress(), ...ownPage, Origin: "http://localhost:9" },
    });
  });

  test("gives access to the owner's threads only", async ({ eve }) => {
    const { thread_id } = await eve.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const page = browser(server());
    await page.open({ owner_secret: secretOf(server()) });
    expectProblem(await page.send("GET", `/v1/threads/${thread_id}`), "thread-not-found");
  });
});

describe("behind a proxy", () => {
  describeServer(
    "with TLS",
    { on: ["sqlite"], settings: { PUBLIC_URL: "https://chat.example/" } },
    (server) => {
      test("cookies are Secure, and the page's origin is that of PUBLIC_URL", async () => {
        const headers = { ...ownPage, "Content-Type": "application/json", Origin: "https://chat.example" };
        const answer = await server().guest.send("POST", "/v1/auth/session", { headers, body: "{}" });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("set-cookie")).toContain("; Secure");
        expectProblem(
          await server().guest.send("POST", "/v1/auth/session", {
            headers: { ...headers, Origin: "https://chat.example.evil.example" },
            body: "{}",
          }),
          "not-allowed",
        );
        expect((await server().guest.send("GET", "/")).headers.get("strict-transport-security")).toContain(
          "max-age=",
        );
        expect(server().ownerLink).toMatch(/^https:\/\/chat\.example\/owner#/);
      });

      test("a forged Host is refused", async () => {
        const answer = await rawRequest(server().url, {
          method: "POST",
          path: "/v1/auth/session",
          headers: {
            ...ownPage,
            Host: "evil.example",
            Origin: "https://evil.example",
            Cookie: "__Host-parlance_443=x",
          },
          body: "{}",
        });
        expect(answer.status).toBe(403);
        expect(answer.text).toContain("host-not-allowed");
      });
    },
  );
});
