import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { readConfig } from "#server/settings/settings.ts";
import { createOwner, join, openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { newAddress } from "../support/clients/visitor.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";

const settings = {
  PROXY_SIGN_IN_ADDRESSES: "127.0.0.1, 10.0.0.0/8",
  PROXY_SIGN_IN_EMAIL_HEADER: "Remote-Email",
  PROXY_SIGN_IN_NAME_HEADER: "Remote-Name",
};
/** What a proxy adds for this person. */
const headersOf = (email: string, name?: string) => ({
  ...newAddress(),
  "Remote-Email": email,
  ...(name === undefined ? {} : { "Remote-Name": Buffer.from(name).toString("latin1") }),
});
const signIn = async (browser: Browser) => await browser.post("accounts.proxySignIn", {});

/** The header pairs of the table in docs/guides/sign-in.md. */
const documented = [
  ...new Set(
    (await readFile("docs/guides/sign-in.md", "utf8"))
      .split("`PROXY_SIGN_IN_NAME_HEADER` |\n")[1]!
      .split("\n\n")[0]!
      .split("\n")
      .slice(1)
      .map((line) =>
        line
          .split("|")
          .slice(-3, -1)
          .map((cell) => cell.replaceAll("`", "").trim())
          .join(" "),
      ),
  ),
];

test("the manual names the headers of proxies", () => {
  expect(documented).toContain("Remote-Email Remote-Name");
  expect(documented.length).toBeGreaterThan(3);
});

test.for(documented)("people sign in with the documented headers: %s", async (pair) => {
  const [email, name = ""] = pair.split(" ");
  const server = await startTestServer({
    engine: "sqlite",
    settings: {
      PROXY_SIGN_IN_ADDRESSES: "127.0.0.1",
      PROXY_SIGN_IN_EMAIL_HEADER: email!,
      ...(name === "" ? {} : { PROXY_SIGN_IN_NAME_HEADER: name }),
    },
  });
  const owner = await createOwner(server);
  await owner.call("signInSettings.put", {
    body: { joining: "open", guests: true, email_domains: [] },
  });
  const ada = openBrowser(server.url, {
    ...newAddress(),
    [email!]: "ada@example.com",
    ...(name === "" ? {} : { [name]: "Ada" }),
  });
  const joined = await signIn(ada);
  expect(joined.body, joined.text).toMatchObject({
    me: { email: "ada@example.com", name: name === "" ? "ada@example.com" : "Ada" },
  });
  await server.close();
});

describeServer("a proxy that signs people in", { settings }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
  });
  const browserOf = (email: string, name?: string) => openBrowser(server().url, headersOf(email, name));
  const setJoining = async (joining: "invitation" | "approval" | "open", domains: string[] = []) =>
    await owner.call("signInSettings.put", { body: { joining, guests: true, email_domains: domains } });

  test("gives an account to new people as the settings say, and signs them in again", async () => {
    await setJoining("invitation", ["example.com"]);
    expectProblem(await signIn(browserOf("eve@elsewhere.example")), "invitation-needed");
    const ada = browserOf("Ada@example.com", "Ada Łovelace");
    expect((await ada.tab().call("accounts.proxyPerson")).email).toBe("Ada@example.com");
    const joined = await signIn(ada);
    expect(joined.status, joined.text).toBe(200);
    expect(joined.body).toMatchObject({ status: "joined", me: { name: "Ada Łovelace", role: "member" } });
    const again = await signIn(browserOf("ada@EXAMPLE.com"));
    const { user_id: person } = await ada.call("auth.me");
    expect(again.body).toMatchObject({ me: { user_id: person } });
    const { entries } = await owner.call("audit.list", { query: { person } });
    expect(entries.map(({ action }) => action)).toEqual(["signed-in", "account-created"]);
    expect(entries[0]!.details).toEqual({ method: "proxy" });
    // A name that no database or screen can show whole.
    const blank = await signIn(browserOf("blank@example.com", "\u3000"));
    expect(blank.body).toMatchObject({ me: { name: "blank@example.com" } });
    const max = limits.accountNameCharacters;
    const long = await signIn(browserOf("long@example.com", `${"a".repeat(max - 1)}😀`));
    expect(long.body).toMatchObject({ me: { name: "a".repeat(max - 1) } });
    // No password was set.
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: "ada@example.com", password }),
      "wrong-password",
    );
  });

  test("keeps what a guest wrote, and waits for approval where that is needed", async () => {
    await setJoining("approval");
    const bea = browserOf("bea@example.com");
    await bea.post("auth.openSession", {});
    await bea.call("threads.create", { body: { title: "Of a guest", last_message_at: new Date() } as never });
    expect((await signIn(bea)).body).toMatchObject({ status: "waiting", me: null });
    const [asking] = (await owner.call("joinRequests.list")).requests;
    await owner.call("joinRequests.approve", { params: { person_id: asking!.user_id } });
    expect((await signIn(bea)).body).toMatchObject({ me: { email: "bea@example.com" } });
    expect((await bea.call("threads.list")).threads.map(({ title }) => title)).toEqual(["Of a guest"]);
  });

  test("does not sign in to accounts that it did not create, nor to suspended ones", async () => {
    await setJoining("open");
    await join(owner, { email: "cai@example.com" });
    for (const email of ["cai@example.com", "olga@example.com"])
      expectProblem(await signIn(browserOf(email)), "proxy-account-exists");
    const dan = browserOf("dan@example.com");
    await signIn(dan);
    const { user_id: id } = await dan.call("auth.me");
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    expectProblem(await signIn(browserOf("dan@example.com")), "account-suspended");
  });

  test("is a way to sign in that people see and can give up, unless it is the only one", async () => {
    await setJoining("open");
    const fay = browserOf("Fay@example.com");
    await signIn(fay);
    expect((await fay.call("accounts.methods")).proxy).toMatchObject({ email: "fay@example.com" });
    await fay.fails("last-sign-in-method", "accounts.removeProxyIdentity");
    await fay.call("accounts.changePassword", { body: { password } });
    server().clock.advance(limits.recentSignInMs + 1);
    await fay.fails("confirmation-needed", "accounts.removeProxyIdentity");
    await fay.call("accounts.confirm", { body: { password } });
    const elsewhere = browserOf("fay@example.com");
    await signIn(elsewhere);
    await fay.call("accounts.removeProxyIdentity");
    expect((await elsewhere.ask("auth.me")).status).toBe(401);
    await fay.fails("proxy-identity-not-found", "accounts.removeProxyIdentity");
    expect((await fay.call("accounts.methods")).proxy).toBeNull();
    expectProblem(await signIn(browserOf("fay@example.com")), "proxy-account-exists");
    expect((await fay.post("accounts.signIn", { email: "fay@example.com", password })).status).toBe(200);
  });

  test("is seen and ended by administrators, for owners by owners", async () => {
    await setJoining("open");
    const gil = browserOf("gil@example.com");
    await signIn(gil);
    const { user_id: id } = await gil.call("auth.me");
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    const find = async () =>
      (await admin.call("people.list", { query: { search: "gil@" } })).people[0]!.proxy_email;
    const end = async (who: Browser, person = id) =>
      await who.ask("people.removeProxyIdentity", { params: { person_id: person } });
    expect(await find()).toBe("gil@example.com");
    expectProblem(await end(gil), "not-allowed");
    expectProblem(await end(admin, (await owner.call("auth.me")).user_id), "not-allowed");
    expect((await end(admin)).status).toBe(200);
    expect((await gil.ask("auth.me")).status).toBe(401);
    expectProblem(await end(admin), "proxy-identity-not-found");
    expect(await find()).toBeNull();
    expectProblem(await signIn(browserOf("gil@example.com")), "proxy-account-exists");
    const { entries } = await owner.call("audit.list", { query: { action: "identity-removed", person: id } });
    expect(entries[0]).toMatchObject({ target: id, details: { provider: "proxy" } });
  });

  test("names one person: other headers, lists of addresses and other pages sign nobody in", async () => {
    for (const headers of [
      newAddress(),
      headersOf("no address"),
      headersOf("ada@example.com, olga@example.com"),
      { ...newAddress(), "X-Forwarded-Email": "ada@example.com" },
    ])
      expectProblem(await signIn(openBrowser(server().url, headers)), "proxy-not-trusted");
    const foreign = await browserOf("ada@example.com").ask("accounts.proxySignIn", {
      body: {},
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expectProblem(foreign, "not-allowed", "origin-not-allowed");
  });

  test("is believed on connections from its own address only, whatever X-Forwarded-For says", async () => {
    const asked = request(`${server().url}/v1/auth/proxy`, {
      localAddress: "127.0.0.2",
      headers: { "Remote-Email": "ada@example.com", "X-Forwarded-For": "127.0.0.1" },
    });
    asked.end();
    const [answer] = (await once(asked, "response")) as [NodeJS.ReadableStream];
    expect(await json(answer)).toEqual({ email: null });
  });
});

describeServer(
  "a proxy that may connect accounts",
  { settings: { ...settings, PROXY_SIGN_IN_CONNECTS_ACCOUNTS: "on" } },
  (server) => {
    const browserOf = (email: string) => openBrowser(server().url, headersOf(email));
    let owner: Browser;
    beforeAll(async () => {
      owner = await createOwner(server());
    });

    test("does not sign in to the account of somebody who only claims the address", async () => {
      const eve = await join(owner, { email: "eve@example.com" });
      await eve.call("accounts.update", { body: { email: "boss@example.com", password } });
      expectProblem(await signIn(browserOf("boss@example.com")), "proxy-account-exists");
    });

    test("signs in to an owner's account only once the owner has connected it, and until they disconnect it", async () => {
      const verify = "update users set email_verified_at = 1 where email_key = 'olga@example.com'";
      await rawSql(server().place, async (run) => await run(verify));
      expectProblem(await signIn(browserOf("olga@example.com")), "proxy-account-exists");
      const olga = browserOf("olga@example.com");
      await olga.post("accounts.signIn", { email: "olga@example.com", password });
      expect((await signIn(olga)).status).toBe(200);
      expect((await signIn(browserOf("olga@example.com"))).body).toMatchObject({
        me: { email: "olga@example.com" },
      });
      await owner.call("accounts.removeProxyIdentity");
      expectProblem(await signIn(browserOf("olga@example.com")), "proxy-account-exists");
    });

    test("signs in to the account of a verified address", async () => {
      const bea = await join(owner, { email: "bea@example.com" });
      const { user_id: id } = await bea.call("auth.me");
      await rawSql(
        server().place,
        async (run) => await run(`update users set email_verified_at = 1 where id = '${id}'`),
      );
      expect((await signIn(browserOf("bea@example.com"))).body).toMatchObject({ me: { user_id: id } });
    });

    test("connects the account that the browser is signed in to, also for later addresses", async () => {
      const ada = await join(owner, { email: "ada@example.com", browser: browserOf("ada@example.com") });
      const { user_id: id } = await ada.call("auth.me");
      const signedIn = await signIn(ada);
      expect(signedIn.body).toMatchObject({ me: { user_id: id } });
      await ada.call("accounts.update", { body: { email: "new@example.com", password } });
      const again = await signIn(openBrowser(server().url, headersOf("ada@example.com")));
      expect(again.body).toMatchObject({ me: { user_id: id } });
    });
  },
);

describeServer("a server without such a proxy", { on: ["sqlite"] }, (server) => {
  test("ignores its headers", async () => {
    const browser = openBrowser(server().url, {
      ...newAddress(),
      "X-Forwarded-Email": "ada@example.com",
    });
    expect((await browser.call("accounts.proxyPerson")).email).toBeNull();
    expectProblem(await signIn(browser), "proxy-not-trusted");
  });
});

describe("the settings", () => {
  test.for(["everyone", "10.0.0.0/33", "0.0.0.0/0", "10.0.0.0/8/8", "proxy.example.com"])(
    "refuse %s as an address of the proxy",
    (address) => {
      expect(() => readConfig("/nowhere", { PROXY_SIGN_IN_ADDRESSES: address })).toThrow(
        "PROXY_SIGN_IN_ADDRESSES must be addresses or networks",
      );
    },
  );
});

test("opens sessions that end when the server starts without it", async () => {
  const place = await newPlace("sqlite");
  const first = await startTestServer({ engine: "sqlite", place, settings });
  const owner = await createOwner(first);
  await owner.call("signInSettings.put", { body: { joining: "open", guests: true, email_domains: [] } });
  const ida = openBrowser(first.url, headersOf("ida@example.com"));
  await signIn(ida);
  expect((await ida.ask("auth.me")).status).toBe(200);
  await first.close();
  const second = await startTestServer({ engine: "sqlite", place });
  try {
    const cookieFor = (who: Browser) =>
      who.cookie()!.replace(new URL(first.url).port, new URL(second.url).port);
    for (const [who, status] of [
      [ida, 401],
      [owner, 200],
    ] as const) {
      const browser = openBrowser(second.url);
      browser.headers["Cookie"] = cookieFor(who);
      expect((await browser.ask("auth.me")).status).toBe(status);
    }
  } finally {
    await second.close();
    await place.remove();
  }
});
