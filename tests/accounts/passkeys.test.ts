import { beforeAll, describe, expect, test } from "vitest";
import type { ResponseOf } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { createAuthenticator, type Deviation } from "#fixtures/passkeys/authenticator.ts";
import {
  createOwner,
  join,
  openBrowser,
  openToEveryone,
  password,
  type Browser,
} from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";

type Authenticator = ReturnType<typeof createAuthenticator>;

// A heartbeat of an hour, so that only a notification can end a stream.
describeServer("passkeys", { heartbeatMs: 3_600_000 }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
  });

  // Passkeys do not work at IP addresses.
  const url = () => server().url.replace("127.0.0.1", "localhost");
  const newBrowser = () => openBrowser(url());
  const newAuthenticator = () => createAuthenticator(url());
  const optionsOf = (answer: { text: string }) =>
    (JSON.parse(answer.text) as ResponseOf<"accounts.startPasskey">).options;

  async function joined(email: string): Promise<Browser> {
    return await join(owner, { email, browser: newBrowser() });
  }

  async function add(browser: Browser, authenticator: Authenticator, deviation: Deviation = {}) {
    const { options } = await browser.call("accounts.startPasskey");
    const credential = authenticator.create(options, deviation);
    return await browser.ask("accounts.addPasskey", { body: { name: "Phone", credential } });
  }

  async function signInWith(
    authenticator: Authenticator,
    { browser = newBrowser(), ...deviation }: { browser?: Browser } & Deviation = {},
  ) {
    const options = optionsOf(await browser.post("accounts.startPasskeySignIn", {}));
    const credential = authenticator.get(options, deviation);
    return await browser.post("accounts.passkeySignIn", { credential });
  }

  test("sign in, keep what a guest wrote, and say when they were last used", async () => {
    const ada = await joined("ada@example.com");
    const authenticator = newAuthenticator();
    expect((await add(ada, authenticator)).status).toBe(201);
    const guest = newBrowser();
    await guest.post("auth.openSession", {});
    await guest.call("threads.create", {
      body: { title: "Of a guest", last_message_at: new Date() } as never,
    });
    const answer = await signInWith(authenticator, { browser: guest });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ email: "ada@example.com", role: "member" });
    expect((await ada.call("threads.list")).threads.map(({ title }) => title)).toEqual(["Of a guest"]);
    const { passkeys } = await ada.call("accounts.methods");
    expect(passkeys).toMatchObject([{ name: "Phone", last_used_at: expect.any(String) as string }]);
    const { user_id: person } = answer.body;
    const { entries } = await owner.call("audit.list", { query: { person } });
    expect(entries.map(({ action }) => action)).toEqual(["signed-in", "passkey-added", "account-created"]);
    expect(entries[0]!.details).toEqual({ method: "passkey" });
  });

  test("are refused from another page, for another server, without a PIN, and if they were copied", async () => {
    const bea = await joined("bea@example.com");
    const authenticator = newAuthenticator();
    const deviations: Deviation[] = [
      { origin: "https://evil.example" },
      { rpId: "evil.example" },
      { isUnverified: true },
    ];
    for (const deviation of deviations)
      expectProblem(await add(bea, newAuthenticator(), deviation), "passkey-refused");
    await add(bea, authenticator);
    await signInWith(authenticator);
    for (const deviation of [...deviations, { counter: 1 }])
      expectProblem(await signInWith(authenticator, deviation), "passkey-refused");
    expectProblem(await signInWith(newAuthenticator()), "passkey-refused");
    expect((await signInWith(authenticator, { counter: 9 })).status).toBe(200);
  });

  test("sign in once with a counter, also at the same time", async () => {
    const authenticator = newAuthenticator();
    await add(await joined("ida@example.com"), authenticator);
    const browser = newBrowser();
    const start = async () => optionsOf(await browser.post("accounts.startPasskeySignIn", {}));
    const credentials = [await start(), await start(), await start()].map((options) =>
      authenticator.get(options, { counter: 9 }),
    );
    const answers = await Promise.all(
      credentials.map(
        async (credential) => await newBrowser().post("accounts.passkeySignIn", { credential }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
  });

  test("have challenges that can be used once, for five minutes, and for one purpose and person", async () => {
    const [cai, dan] = [await joined("cai@example.com"), await joined("dan@example.com")];
    const authenticator = newAuthenticator();
    const { options } = await cai.call("accounts.startPasskey");
    const credential = authenticator.create(options);
    const body = { name: "Phone", credential };
    await dan.fails("sign-in-expired", "accounts.addPasskey", { body });
    await cai.fails("sign-in-expired", "accounts.addPasskey", { body });
    await add(cai, authenticator);
    expectProblem(await add(dan, authenticator), "passkey-refused");

    const browser = newBrowser();
    const start = async () => optionsOf(await browser.post("accounts.startPasskeySignIn", {}));
    const used = authenticator.get(await start());
    const answers = await Promise.all(
      [1, 2, 3].map(async () => await newBrowser().post("accounts.passkeySignIn", { credential: used })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    const invented = authenticator.get(await start(), { challenge: "AAAA" });
    expectProblem(await browser.post("accounts.passkeySignIn", { credential: invented }), "sign-in-expired");
    const adding = authenticator.get({
      ...(await start()),
      ...(await cai.call("accounts.startPasskey")).options,
    });
    expectProblem(await browser.post("accounts.passkeySignIn", { credential: adding }), "sign-in-expired");
    const late = authenticator.get(await start());
    server().clock.advance(limits.passkeyChallengeMs + 1);
    expectProblem(await browser.post("accounts.passkeySignIn", { credential: late }), "sign-in-expired");
  });

  test("can be added and removed only shortly after a sign-in or the password", async () => {
    const eli = await joined("eli@example.com");
    await add(eli, newAuthenticator());
    const [passkey] = (await eli.call("accounts.methods")).passkeys;
    const remove = async () =>
      await eli.ask("accounts.removePasskey", { params: { passkey_id: passkey!.id } });
    server().clock.advance(limits.recentSignInMs + 1);
    await eli.fails("confirmation-needed", "accounts.startPasskey");
    expectProblem(await remove(), "confirmation-needed");
    await eli.fails("wrong-password", "accounts.confirm", { body: { password: "wrong" } });
    await eli.call("accounts.confirm", { body: { password } });
    expect((await remove()).status).toBe(200);
    expectProblem(await remove(), "passkey-not-found");
  });

  test("do not sign suspended people in", async () => {
    const fay = await joined("fay@example.com");
    const authenticator = newAuthenticator();
    await add(fay, authenticator);
    const { user_id: id } = await fay.call("auth.me");
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    expectProblem(await signInWith(authenticator), "account-suspended");
  });

  describe("instead of a password", () => {
    const invite = async () =>
      (await owner.call("invitations.create", { body: { role: "member" } })).link.split("#")[1]!;

    async function begin(email: string, authenticator: Authenticator, browser = newBrowser()) {
      const person = { name: "Hal", email, invitation: await invite() };
      const options = optionsOf(await browser.post("accounts.startPasskeySignUp", person));
      return { browser, body: { ...person, passkey: authenticator.create(options) } };
    }
    async function signUp(email: string, authenticator: Authenticator) {
      const { browser, body } = await begin(email, authenticator);
      return { browser, answer: await browser.post("accounts.signUp", body) };
    }

    test("are not created for people who cannot join, or whose address is taken", async () => {
      const start = async (body: { email: string; invitation?: string }) =>
        await newBrowser().post("accounts.startPasskeySignUp", { name: "Lea", ...body });
      expectProblem(await start({ email: "lea@example.com" }), "invitation-needed");
      expectProblem(await start({ email: "lea@example.com", invitation: "invite_0x" }), "invitation-invalid");
      expectProblem(await start({ email: "OLGA@example.com", invitation: await invite() }), "email-taken");
    });

    test("are refused, and not the address, if somebody stores the same one at the same time", async () => {
      const authenticator = newAuthenticator();
      const begun = [
        await begin("mia@example.com", authenticator),
        await begin("noa@example.com", authenticator),
      ];
      const answers = await Promise.all(
        begun.map(async ({ browser, body }) => await browser.post("accounts.signUp", body)),
      );
      const refused = answers.find(({ status }) => status !== 200);
      expectProblem(refused!, "passkey-refused");
    });

    test("let their people set a password and change their address after a recent sign-in", async () => {
      const authenticator = newAuthenticator();
      const { browser } = await signUp("ole@example.com", authenticator);
      server().clock.advance(limits.recentSignInMs + 1);
      const setPassword = async () =>
        await browser.ask("accounts.changePassword", { body: { password: "a new horse" } });
      const setEmail = async (email: string) => await browser.ask("accounts.update", { body: { email } });
      expectProblem(await setPassword(), "confirmation-needed");
      expectProblem(await setEmail("ole2@example.com"), "confirmation-needed");
      expect((await signInWith(authenticator, { browser })).status).toBe(200);
      expect((await setEmail("ole2@example.com")).status).toBe(200);
      expect((await setPassword()).status).toBe(200);
      // Now there is a password, which has to be known.
      expectProblem(await setPassword(), "wrong-password");
      expectProblem(await setEmail("ole3@example.com"), "wrong-password");
      const signedIn = await newBrowser().post("accounts.signIn", {
        email: "ole2@example.com",
        password: "a new horse",
      });
      expect(signedIn.status).toBe(200);
    });

    test("create an account, whose only passkey cannot be removed", async () => {
      const authenticator = newAuthenticator();
      const { browser, answer } = await signUp("hal@example.com", authenticator);
      expect(answer.status, answer.text).toBe(200);
      expect((await signInWith(authenticator)).body).toMatchObject({ email: "hal@example.com" });
      const { passkeys, has_password: hasPassword } = await browser.call("accounts.methods");
      expect(hasPassword).toBe(false);
      const params = { passkey_id: passkeys[0]!.id };
      await browser.fails("last-sign-in-method", "accounts.removePasskey", { params });
      for (const attempt of ["", password])
        expectProblem(
          await openBrowser(url()).post("accounts.signIn", {
            email: "hal@example.com",
            password: attempt === "" ? "x" : attempt,
          }),
          "wrong-password",
        );
    });

    test("are stored once, and need the invitation and exactly one of password and passkey", async () => {
      const authenticator = newAuthenticator();
      await signUp("ian@example.com", authenticator);
      expectProblem((await signUp("jan@example.com", authenticator)).answer, "passkey-refused");
      const browser = newBrowser();
      const { body } = await begin("kim@example.com", newAuthenticator(), browser);
      const { passkey, invitation, ...person } = body;
      expectProblem(await browser.post("accounts.signUp", { ...person, passkey }), "invitation-needed");
      for (const both of [{ passkey, password }, {}])
        expectProblem(
          await browser.post("accounts.signUp", { ...person, ...both, invitation }),
          "bad-request",
        );
      const made = await browser.post("accounts.signUp", { ...person, passkey, invitation });
      expect(made.status, made.text).toBe(200);
    });
  });

  test("need a host name and encryption, and only the own page can begin", async () => {
    const browser = openBrowser(server().url);
    expectProblem(await browser.post("accounts.startPasskeySignIn", {}), "passkeys-not-here");
    const foreign = await newBrowser().ask("accounts.startPasskeySignIn", {
      body: {},
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expectProblem(foreign, "not-allowed", "origin-not-allowed");
  });

  test("store no challenge in a form that can be used", async () => {
    const options = optionsOf(await newBrowser().post("accounts.startPasskeySignIn", {}));
    const stored = await rawSql(server().place, async (run) => await run("select * from passkey_challenges"));
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(options["challenge"]);
  });
});

describeServer("an owner with a passkey only", {}, (server) => {
  test("creates the first account, signs in, and can still set a password on the command line", async () => {
    const url = server().url.replace("127.0.0.1", "localhost");
    const authenticator = createAuthenticator(url);
    const browser = openBrowser(url);
    const owner_secret = server().ownerLink.split("#")[1]!;
    const person = { name: "Olga", email: "olga@example.com", owner_secret };
    const { options } = JSON.parse(
      (await browser.post("accounts.startPasskeySignUp", person)).text,
    ) as ResponseOf<"accounts.startPasskey">;
    const body = {
      ...person,
      passkey: authenticator.create(options),
    };
    expect((await browser.post("accounts.signUp", body)).body).toMatchObject({ me: { role: "owner" } });
    const { code, out } = await runCommand(server().place, ["owner", "reset", "--json"]);
    expect([code, /reset_0\w{48}/.test(out)]).toEqual([0, true]);
  });
});

describeServer(
  "a passkey of a former host name",
  { settings: { PUBLIC_URL: "http://localhost" } },
  (server) => {
    test("does not count as a way to sign in, and says where it works", async () => {
      const owner = await openToEveryone(await createOwner(server()));
      const url = "http://localhost";
      const start = async (browser: Browser, invitation: string) => {
        const person = { name: "Pia", email: "pia@example.com", invitation };
        const { options } = JSON.parse(
          (await browser.post("accounts.startPasskeySignUp", person)).text,
        ) as ResponseOf<"accounts.startPasskey">;
        return { ...person, passkey: createAuthenticator(url).create(options) };
      };
      const { link } = await owner.call("invitations.create", { body: { role: "member" } });
      const pia = openBrowser(server().url);
      const made = await pia.post("accounts.signUp", await start(pia, link.split("#")[1]!));
      expect(made.status, made.text).toBe(200);
      const { options } = await pia.call("accounts.startPasskey");
      const credential = createAuthenticator(url).create(options);
      await pia.call("accounts.addPasskey", { body: { name: "Second", credential } });
      const [first, second] = (await pia.call("accounts.methods")).passkeys;
      await rawSql(
        server().place,
        async (run) => await run(`update passkeys set rp_id = 'old.example.com' where id = '${first!.id}'`),
      );
      expect((await pia.call("accounts.methods")).passkeys.map(({ host }) => host)).toEqual([
        "old.example.com",
        "localhost",
      ]);
      const remove = async (id: string) =>
        await pia.ask("accounts.removePasskey", { params: { passkey_id: id } });
      expectProblem(await remove(second!.id), "last-sign-in-method");
      expect((await remove(first!.id)).status).toBe(200);
    });
  },
);
