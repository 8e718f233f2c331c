import { expect, test } from "vitest";
import { createAuthenticator } from "#fixtures/passkeys/authenticator.ts";
import { limits } from "#contract/limits.ts";
import { createOwner, openBrowser, password, signIn, type Browser } from "../support/clients/browser.ts";
import { runCommand } from "../support/servers/cli.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("a link to set a new password", {}, (server) => {
  const resetLink = async () => {
    const result = await runCommand(server().place, ["owner", "reset", "--json"]);
    return { ...result, token: /#(reset_0\w{48})/.exec(result.out)?.[1] ?? "" };
  };
  const use = async (token: string, withPassword: string, browser = openBrowser(server().url)) =>
    await browser.post("accounts.resetPassword", { token, password: withPassword });
  let owner: Browser;

  test("is not made for an owner without an account", async () => {
    const { code, err } = await resetLink();
    expect(code).toBe(1);
    expect(err).toContain("owner-link");
  });

  test("works once, signs in, and ends all other sessions", async () => {
    owner = await createOwner(server());
    const feed = await owner.live();
    await feed.next();
    const { token } = await resetLink();
    const browser = openBrowser(server().url);
    const answers = await Promise.all([
      use(token, "a new password", browser),
      use(token, "another password"),
      use(token, "a third password"),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    await feed.rest();
    await owner.fails("token-expired", "auth.me");
    expectProblem(await use(token, "a new password"), "reset-link-invalid");
    expectProblem(
      await openBrowser(server().url).post("accounts.signIn", { email: "olga@example.com", password }),
      "wrong-password",
    );
  });

  test("keeps the passkeys, or removes them too if the person asks for it", async () => {
    const url = server().url.replace("127.0.0.1", "localhost");
    const browser = openBrowser(url);
    expect((await use((await resetLink()).token, password, browser)).status).toBe(200);
    const { options } = await browser.call("accounts.startPasskey");
    const credential = createAuthenticator(url).create(options);
    await browser.call("accounts.addPasskey", { body: { name: "Phone", credential } });
    const passkeysAfter = async (removes: boolean) => {
      const { token } = await resetLink();
      const body = { token, password, removes_other_methods: removes };
      expect((await browser.post("accounts.resetPassword", body)).status).toBe(200);
      return (await browser.call("accounts.methods")).passkeys.length;
    };
    expect(await passkeysAfter(false)).toBe(1);
    expect(await passkeysAfter(true)).toBe(0);
    const { entries } = await browser.call("audit.list", { query: { action: "password-reset" } });
    expect(entries.map(({ details }) => details)).toContainEqual({ other_methods: "removed" });
  });

  test("ends when a newer one is made, after a day, and cannot be guessed", async () => {
    const [first, second] = [await resetLink(), await resetLink()];
    expectProblem(await use(first.token, password), "reset-link-invalid");
    expectProblem(await use(`${second.token.slice(0, -1)}_`, password), "reset-link-invalid");
    expectProblem(await use("", password), "bad-request");
    expect((await use(second.token, password)).status).toBe(200);
    const late = await resetLink();
    server().clock.advance(limits.resetLinkMs + 60_000);
    expectProblem(await use(late.token, password), "reset-link-invalid");
    await signIn(server().url, "olga@example.com");
  });

  test("is in the audit log, which nobody can change", async () => {
    const entries = await rawSql(
      server().place,
      async (run) => await run("select * from audit_entries order by id"),
    );
    expect(
      entries.filter(({ action }) => action === "reset-link-created").map(({ actor }) => actor),
    ).toContain("operator");
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["account-created", "password-reset", "signed-in"]),
    );
    for (const statement of ["update audit_entries set actor = 'x'", "delete from audit_entries"])
      await expect(rawSql(server().place, async (run) => await run(statement))).rejects.toThrow(
        "cannot be changed",
      );
  });
});
