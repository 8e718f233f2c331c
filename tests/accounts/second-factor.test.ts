import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import {
  createOwner,
  join,
  openBrowser,
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { authenticatorOf } from "../support/clients/second-factor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, startTestServer } from "../support/servers/server.ts";

// A heartbeat of an hour, so that only a notification can end a stream.
describeServer("a second factor", { heartbeatMs: 3_600_000 }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
  });

  const { codeOf, nextCode, wrongCodeOf, setUp, ask } = authenticatorOf(server);

  async function personWith(email: string) {
    const browser = await join(owner, { email });
    return { browser, email, ...(await setUp(browser)) };
  }

  test("is asked for after the right password only, and each of its codes works once (CVE-2026-54036)", async () => {
    const ada = await personWith("ada@example.com");
    expect(ada.uri).toMatch(/^otpauth:\/\/totp\/.*ada%40example\.com\?issuer=Parlance.*secret=/);
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: ada.email, password: "wrong horse" }),
      "wrong-password",
    );
    const browser = openBrowser(server().url);
    expectProblem(await ask(ada.email, undefined, browser), "second-factor-needed");
    expect(browser.cookie()).toBeUndefined();
    await browser.fails("not-signed-in", "auth.me");
    // The code that set it up is used already.
    expectProblem(await ask(ada.email, codeOf(ada.secret)), "wrong-code");
    const code = nextCode(ada.secret);
    const answers = await Promise.all([1, 2, 3].map(async () => await ask(ada.email, code)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, "wrong-code");
    // A code of the next 30 seconds is accepted, and then none of before.
    expect((await ask(ada.email, codeOf(ada.secret, 30_000))).status).toBe(200);
    expectProblem(await ask(ada.email, codeOf(ada.secret)), "wrong-code");
    const { user_id: person } = await ada.browser.call("auth.me");
    const { entries } = await owner.call("audit.list", { query: { person } });
    expect(entries.map(({ action }) => action)).toEqual([
      "signed-in",
      "signed-in",
      "second-factor-added",
      "account-created",
    ]);
    expect(entries[0]!.details).toEqual({ method: "password", second_factor: "code" });
  });

  test("is replaced by a recovery code, once each, and by new ones (CVE-2026-72917)", async () => {
    const bea = await personWith("bea@example.com");
    expect(new Set(bea.recoveryCodes).size).toBe(10);
    const [first, second] = bea.recoveryCodes as [string, string];
    expect((await ask(bea.email, first.toUpperCase().replaceAll("-", " "))).status).toBe(200);
    for (const wrong of [first, "aaaa-bbbb-cccc-dddd"])
      expectProblem(await ask(bea.email, wrong), "wrong-code");
    expect((await bea.browser.call("accounts.methods")).second_factor).toMatchObject({
      recovery_codes_left: 9,
    });
    const { recovery_codes: renewed } = await bea.browser.call("accounts.renewRecoveryCodes");
    expectProblem(await ask(bea.email, second), "wrong-code");
    expect((await ask(bea.email, renewed[0])).status).toBe(200);
  });

  test("slows a guesser at one address down, also with the sign-in confirmed in the account", async () => {
    const mia = await personWith("mia@example.com");
    const wrong = wrongCodeOf(mia.secret);
    for (let tries = 0; tries < limits.secondFactorTriesPerAddress - 1; tries++)
      expectProblem(await ask(mia.email, wrong, mia.browser), "wrong-code");
    // The right one begins anew.
    expect((await ask(mia.email, nextCode(mia.secret), mia.browser)).status).toBe(200);
    for (let tries = 0; tries < limits.secondFactorTriesPerAddress; tries++)
      await mia.browser.fails("wrong-code", "accounts.confirm", { body: { password, code: wrong } });
    expectProblem(await ask(mia.email, codeOf(mia.secret), mia.browser), "too-many-attempts");
    server().clock.advance(limits.firstAttemptWaitMs);
    expect((await ask(mia.email, codeOf(mia.secret), mia.browser)).status).toBe(200);
  });

  test("is set up and removed only shortly after a sign-in, by the person who began", async () => {
    let eli = await join(owner, { email: "eli@example.com" });
    const { secret, setup } = await eli.call("accounts.startSecondFactor");
    const phone = await signIn(server().url, "eli@example.com");
    const body = { setup, code: codeOf(secret) };
    await owner.fails("sign-in-expired", "accounts.addSecondFactor", { body });
    await eli.fails("wrong-code", "accounts.addSecondFactor", { body: { setup, code: "not a code" } });
    // In another session: a confirmation with a passkey opens one.
    await phone.call("accounts.addSecondFactor", { body });
    await eli.fails("token-expired", "auth.me");
    eli = phone;
    await eli.fails("second-factor-exists", "accounts.addSecondFactor", { body });
    await eli.fails("second-factor-exists", "accounts.startSecondFactor");
    server().clock.advance(limits.recentSignInMs + 1);
    for (const name of ["accounts.removeSecondFactor", "accounts.renewRecoveryCodes"] as const)
      await eli.fails("confirmation-needed", name);
    // The password alone confirms nobody who has a second factor.
    await eli.fails("second-factor-needed", "accounts.confirm", { body: { password } });
    await eli.call("accounts.confirm", { body: { password, code: codeOf(secret) } });
    await eli.call("accounts.removeSecondFactor");
    await eli.fails("second-factor-not-found", "accounts.removeSecondFactor");
    expect((await ask("eli@example.com")).status).toBe(200);
  });

  test("protects an account from a reset link too, which then still works (CVE-2026-54040)", async () => {
    const fay = await personWith("fay@example.com");
    const { user_id: id } = await fay.browser.call("auth.me");
    const { link } = await owner.call("people.createResetLink", { params: { person_id: id } });
    const token = link!.split("#")[1]!;
    const reset = async (code?: string) =>
      await openBrowser(server().url).post("accounts.resetPassword", {
        token,
        password: "another horse",
        ...(code === undefined ? {} : { code }),
      });
    expectProblem(await reset(), "second-factor-needed");
    expectProblem(await reset("aaaa-bbbb-cccc-dddd"), "wrong-code");
    expect((await reset(nextCode(fay.secret))).status).toBe(200);
    expectProblem(await reset(nextCode(fay.secret)), "reset-link-invalid");
  });

  test("is reset by administrators, for others and not for owners, and by owners", async () => {
    const gus = await personWith("gus@example.com");
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    const { user_id: id } = await gus.browser.call("auth.me");
    const reset = async (who: Browser, person = id) =>
      await who.ask("people.resetSecondFactor", { params: { person_id: person } });
    expectProblem(await reset(gus.browser), "not-allowed");
    const isSetUp = async () =>
      (await owner.call("people.list", { query: { search: "gus@" } })).people[0]!.has_second_factor;
    expect(await isSetUp()).toBe(true);
    expect((await reset(admin)).status).toBe(200);
    expect(await isSetUp()).toBe(false);
    expectProblem(await reset(admin), "second-factor-not-found");
    expect((await ask(gus.email)).status).toBe(200);
    await setUp(admin);
    const [{ user_id: ownerId }, { user_id: adminId }] = [
      await owner.call("auth.me"),
      await admin.call("auth.me"),
    ];
    expectProblem(await reset(admin, adminId), "not-allowed");
    expectProblem(await reset(admin, ownerId), "not-allowed");
    expect((await reset(owner, adminId)).status).toBe(200);
  });

  test("is stored encrypted, and its recovery codes as hashes", async () => {
    const hal = await personWith("hal@example.com");
    const stored = JSON.stringify(
      await rawSql(server().place, async (run) => [
        ...(await run("select * from second_factor_secrets")),
        ...(await run("select * from recovery_codes")),
      ]),
    );
    expect(stored.length).toBeGreaterThan(1_000);
    for (const secret of [hal.secret, ...hal.recoveryCodes, ...hal.recoveryCodes.map(withoutHyphens)])
      expect(stored).not.toContain(secret);
  });

  test("is removed by the command that recovers the owner", async () => {
    const browser = await signIn(server().url, "olga@example.com");
    const { secret } = await setUp(browser);
    expectProblem(await ask("olga@example.com"), "second-factor-needed");
    const { out } = await runCommand(server().place, ["owner", "reset", "--json"]);
    const token = /#(reset_0\w{48})/.exec(out)![1]!;
    owner = openBrowser(server().url);
    expect((await owner.post("accounts.resetPassword", { token, password })).status).toBe(200);
    expect((await owner.call("accounts.methods")).second_factor).toBeNull();
    const { entries } = await owner.call("audit.list", { query: { action: "second-factor-reset" } });
    expect(entries.map(({ actor }) => actor)).toContain("operator");
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  describe("that the owner requires", () => {
    const rule = async (second_factor: "optional" | "admins" | "everyone") =>
      await owner.ask("signInSettings.put", {
        body: { joining: "invitation", guests: true, email_domains: [], second_factor },
      });

    test("can be required by owners only", async () => {
      const admin = await signIn(server().url, "admin@example.com");
      const settings = { joining: "invitation" as const, guests: true, email_domains: [] };
      await admin.fails("not-allowed", "signInSettings.put", {
        body: { ...settings, second_factor: "admins" },
      });
      await admin.call("signInSettings.put", { body: settings });
      await admin.call("signInSettings.put", { body: { ...settings, second_factor: "optional" } });
    });

    test("stays required while others save the other settings", async () => {
      const admin = await join(owner, { email: "lea@example.com", role: "admin" });
      await setUp(admin);
      await setUp(owner);
      const settings = { joining: "invitation" as const, guests: true, email_domains: [] };
      for (let times = 0; times < 10; times++) {
        await rule("optional");
        const [required] = await Promise.all([
          rule("everyone"),
          admin.call("signInSettings.put", { body: settings }),
        ]);
        expect(required.status).toBe(200);
        expect((await owner.call("signInSettings.get")).settings.second_factor).toBe("everyone");
      }
      await rule("optional");
    });

    test("ends the streams of people without one, who can only set it up", async () => {
      const ian = await join(owner, { email: "ian@example.com" });
      const guest = openBrowser(server().url);
      await guest.post("auth.openSession", {});
      const feed = await ian.live();
      await feed.next();
      expect((await rule("everyone")).status).toBe(200);
      await feed.rest();
      await ian.fails("second-factor-required", "threads.list");
      await ian.fails("second-factor-required", "accounts.changePassword", {
        body: { current_password: password, password: "a new horse" },
      });
      const again = openBrowser(server().url);
      expect((await ask("ian@example.com", undefined, again)).body).toMatchObject({
        needs_second_factor: true,
      });
      expect((await again.post("auth.openSession", {})).body).toMatchObject({ needs_second_factor: true });
      expect((await guest.call("auth.me")).needs_second_factor).toBe(false);
      await guest.call("threads.list");
      await setUp(again);
      expect((await again.call("auth.me")).needs_second_factor).toBe(false);
      await again.call("threads.list");
      // The password alone opened the other sessions.
      await ian.fails("token-expired", "auth.me");
    });

    test("is required of administrators alone, if the owner says so", async () => {
      expect((await rule("admins")).status).toBe(200);
      const member = await join(owner, { email: "jan@example.com" });
      await member.call("threads.list");
      const admin = await join(owner, { email: "kim@example.com", role: "admin" });
      await admin.fails("second-factor-required", "people.list");
      await setUp(admin);
      await admin.call("people.list");
      await rule("optional");
    });
  });
});

test("without an explicit secret on PostgreSQL, the rule stays and the other settings can be saved", async ({
  skip,
}) => {
  if (!engines.includes("postgres")) skip();
  const server = await startTestServer({ engine: "postgres", settings: { PARLANCE_SECRET: "" } });
  const owner = await createOwner(server);
  const settings = { joining: "invitation" as const, guests: true, email_domains: [] };
  const save = async (rule: "admins" | "everyone") =>
    await owner.ask("signInSettings.put", { body: { ...settings, second_factor: rule } });
  expectProblem(await save("admins"), "secret-not-set");
  await owner.call("signInSettings.put", { body: settings });
  await rawSql(server.place, async (run) => [
    ...(await run("update auth_settings set second_factor = 'admins'")),
    // They need no second factor.
    ...(await run("update sessions set method = 'passkey'")),
  ]);
  expect((await save("admins")).status).toBe(200);
  expectProblem(await save("everyone"), "secret-not-set");
  await server.close();
});

function withoutHyphens(code: string): string {
  return code.replaceAll("-", "");
}
