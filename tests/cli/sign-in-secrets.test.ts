import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { describe, expect, test, onTestFinished } from "vitest";
import { limits } from "#contract/limits.ts";
import { startMailServer } from "#fixtures/mail/mail-server.ts";
import { createOwner, openBrowser, password } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { authenticatorOf } from "../support/clients/second-factor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import { startTestServer, type ServerPlace } from "../support/servers/server.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";

const [oldSecret, newSecret] = [
  "an old secret that is long enough to be one",
  "a new secret that is long enough to be one",
];
const login = { user: "chat", password: "p4ss of the mail server" };
const email = "olga@example.com";

describe.each(engines)("second factors and the mail server (%s)", (engine) => {
  const start = async (place: ServerPlace, secret: string) => {
    const settings = { PARLANCE_SECRET: secret, PUBLIC_URL: "http://chat.example.com" };
    const server = await serverForTest({ engine, place, settings });
    return server;
  };

  /** A database of which the owner has both, and has mistyped a code as often as is free. */
  async function placeWithBoth() {
    const mails = await startMailServer({ login });
    onTestFinished(mails.close);
    const place = await placeForTest(engine);
    const server = await startTestServer({
      engine,
      place,
      settings: { PARLANCE_SECRET: oldSecret, PUBLIC_URL: "http://chat.example.com" },
    });
    const owner = await createOwner(server, email);
    const { user: username, password: mailPassword } = login;
    await owner.call("mail.put", {
      body: {
        host: "127.0.0.1",
        port: mails.port,
        security: "none",
        username,
        password: mailPassword,
        sender: "chat@example.com",
      },
    });
    const { setUp, ask, wrongCodeOf } = authenticatorOf(() => server);
    const factor = await setUp(owner);
    for (let tries = 0; tries < limits.secondFactorTriesPerAccount; tries++)
      expectProblem(await ask(email, wrongCodeOf(factor.secret)), "wrong-code");
    await server.close();
    return { place, mails, factor };
  }

  test("work after their secrets were encrypted with a new one, and guessing stays slow", async () => {
    const { place, mails, factor } = await placeWithBoth();
    const file = join(place.dataDir, "old.txt");
    await writeFile(file, oldSecret);
    const rotated = await runCommand(place, ["provider-key", "rotate", "--old-secret-file", file], {
      PARLANCE_SECRET: newSecret,
    });
    expect(rotated).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^2 keys/) as string });
    const server = await start(place, newSecret);
    const { ask, wrongCodeOf } = authenticatorOf(() => server);
    expectProblem(await ask(email, wrongCodeOf(factor.secret)), "too-many-attempts");
    // The code of the set-up was used in the last 30 seconds.
    server.clock.advance(60_000);
    const code = new TOTP({ secret: Secret.fromBase32(factor.secret) }).generate({
      timestamp: server.clock.now(),
    });
    const owner = openBrowser(server.url);
    expect((await owner.post("accounts.signIn", { email, password, code })).status).toBe(200);
    expect(await owner.call("mail.test", { body: { language: "en" } })).toMatchObject({ problem: null });
    await mails.take(email);
  });

  test("are in a backup without their secrets: recovery codes work, and the password is entered again", async () => {
    const { place, mails, factor } = await placeWithBoth();
    const archive = join(place.dataDir, "archive");
    const saved = await runCommand(place, ["backup", archive], { PARLANCE_SECRET: oldSecret });
    expect(saved.code, saved.err).toBe(0);
    const target = await placeForTest(engine);
    const restored = await runCommand(target, ["restore", archive], { PARLANCE_SECRET: newSecret });
    expect(restored.code, restored.err).toBe(0);
    const secrets = await rawSql(target, async (run) => [
      ...(await run("select * from second_factor_secrets")),
      ...(await run("select * from mail_secrets")),
    ]);
    expect(secrets).toEqual([]);
    const server = await start(target, newSecret);
    const { ask, codeOf } = authenticatorOf(() => server);
    // The second factor is still needed, and guessing stays slow.
    expectProblem(await ask(email), "second-factor-needed");
    expectProblem(await ask(email, codeOf(factor.secret)), "too-many-attempts");
    server.clock.advance(limits.firstAttemptWaitMs);
    expectProblem(await ask(email, codeOf(factor.secret)), "wrong-code");
    const owner = openBrowser(server.url);
    expect((await ask(email, factor.recoveryCodes[0], owner)).status).toBe(200);
    expect((await owner.call("accounts.methods")).second_factor).toMatchObject({ recovery_codes_left: 9 });
    const { settings } = await owner.call("mail.get");
    expect(settings).toMatchObject({ username: login.user, has_password: false });
    const { has_password: _, ...kept } = settings!;
    await owner.call("mail.put", { body: { ...kept, password: login.password } });
    expect(await owner.call("mail.test", { body: { language: "en" } })).toMatchObject({ problem: null });
    await mails.take(email);
  });
});
