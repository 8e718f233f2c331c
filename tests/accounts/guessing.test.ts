import { expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { createOwner, join, openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { newAddress } from "../support/clients/visitor.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { authenticatorOf } from "../support/clients/second-factor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { newPlace, startTestServer } from "../support/servers/server.ts";

test.each(engines)(
  "a guesser of codes is slowed down more and more, but neither recovery codes nor the person (%s)",
  async (engine) => {
    const server = await startTestServer({ engine });
    const { codeOf, nextCode, wrongCodeOf, setUp, ask } = authenticatorOf(() => server);
    const owner = await createOwner(server);
    const [cai, dan] = ["cai@example.com", "dan@example.com"];
    const home = await join(owner, { email: cai });
    const factor = await setUp(home);
    const other = await setUp(await join(owner, { email: dan }));
    const guess = async () => await ask(cai, wrongCodeOf(factor.secret));
    // From as many addresses, and half of them at once.
    const free = limits.secondFactorTriesPerAccount;
    for (let tries = 0; tries < free / 2; tries++) expectProblem(await guess(), "wrong-code");
    for (const answer of await Promise.all(Array.from({ length: free / 2 }, guess)))
      expectProblem(answer, "wrong-code");
    const waits = [];
    for (let guesses = 0; guesses < 4; guesses++) {
      // The right code has to wait too, and an attempt that waits does not count.
      const slowed = await ask(cai, codeOf(factor.secret));
      expectProblem(slowed, "too-many-attempts");
      waits.push(Number(slowed.headers.get("retry-after")));
      server.clock.advance(waits.at(-1)! * 1_000);
      expectProblem(await guess(), "wrong-code");
    }
    // A busy machine has needed a second in between.
    for (const [at, seconds] of [30, 60, 120, 240].entries()) {
      expect(waits[at]).toBeLessThanOrEqual(seconds);
      expect(waits[at]).toBeGreaterThan(seconds - 10);
    }
    expect((await ask(dan, nextCode(other.secret))).status).toBe(200);
    expect((await ask(cai, factor.recoveryCodes[0])).status).toBe(200);
    // Where they have been signed in before, strangers elsewhere do not slow them down.
    expect((await ask(cai, nextCode(factor.secret), home)).status).toBe(200);
    expectProblem(await ask(cai, nextCode(factor.secret)), "too-many-attempts");
    server.clock.advance(limits.failedAttemptsMs);
    expect((await ask(cai, nextCode(factor.secret))).status).toBe(200);
    await server.close();
  },
  60_000,
);

test.each(engines)("failed attempts are still known after a restart (%s)", async (engine) => {
  const place = await newPlace(engine);
  const before = await startTestServer({ engine, place });
  const { setUp, wrongCodeOf, nextCode } = authenticatorOf(() => before);
  const email = "eva@example.com";
  const { secret } = await setUp(await join(await createOwner(before), { email }));
  const address = { "X-Forwarded-For": "203.0.113.7" };
  for (let tries = 0; tries < limits.secondFactorTriesPerAddress; tries++)
    expectProblem(
      await openBrowser(before.url, address).post("accounts.signIn", {
        email,
        password,
        code: wrongCodeOf(secret),
      }),
      "wrong-code",
    );
  await before.close();
  const after = await startTestServer({ engine, place });
  const sent = { email, password, code: nextCode(secret) };
  expectProblem(await openBrowser(after.url, address).post("accounts.signIn", sent), "too-many-attempts");
  expect((await openBrowser(after.url).post("accounts.signIn", sent)).status).toBe(200);
  await after.close();
  await place.remove();
});

test.each(engines)(
  "strangers who guess do not keep out a browser that was signed in before, whose own guesses are bounded (%s)",
  async (engine) => {
    const server = await startTestServer({ engine });
    const email = "flo@example.com";
    const owner = await createOwner(server);
    const home = await join(owner, { email });
    const other = await join(owner, { email: "gus@example.com" });
    for (const browser of [home, other]) {
      await browser.post("auth.closeSession");
      Object.assign(browser.headers, newAddress());
    }
    const ask = async (browser: Browser, given = password) =>
      await browser.post("accounts.signIn", { email, password: given });
    for (let tries = 0; tries < limits.passwordTriesPerAccount; tries++)
      expectProblem(await ask(openBrowser(server.url), "a wrong guess"), "wrong-password");
    expectProblem(await ask(openBrowser(server.url)), "too-many-attempts");
    // A browser of another account is a stranger's too.
    expectProblem(await ask(other), "too-many-attempts");
    expect((await ask(home)).status).toBe(200);

    await home.post("auth.closeSession");
    const guess = async () => {
      Object.assign(home.headers, newAddress());
      return await ask(home, "a wrong guess");
    };
    for (let tries = 0; tries < limits.passwordTriesPerAddress; tries++)
      expectProblem(await guess(), "wrong-password");
    expectProblem(await guess(), "too-many-attempts");
    const cookie = home.headers["Cookie"]!;
    // A changed cookie is none.
    home.headers["Cookie"] = cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expectProblem(await guess(), "too-many-attempts");
    await server.close();
  },
  60_000,
);

test.each(engines)(
  "strangers who guess codes do not keep out who has a link to set a password, whose own guesses are bounded (%s)",
  async (engine) => {
    const server = await startTestServer({ engine });
    const { codeOf, nextCode, wrongCodeOf, setUp, ask } = authenticatorOf(() => server);
    const email = "hal@example.com";
    const owner = await createOwner(server);
    const hal = await join(owner, { email });
    const { secret } = await setUp(hal);
    const person_id = (await hal.call("auth.me")).user_id;
    const link = async () => {
      const made = await owner.call("people.createResetLink", { params: { person_id } });
      return made.link!.split("#")[1]!;
    };
    for (let tries = 0; tries < limits.secondFactorTriesPerAccount; tries++)
      expectProblem(await ask(email, wrongCodeOf(secret)), "wrong-code");
    expectProblem(await ask(email, codeOf(secret)), "too-many-attempts");
    const reset = async (token: string, code: string) =>
      await openBrowser(server.url).post("accounts.resetPassword", { token, password, code });
    expect((await reset(await link(), nextCode(secret))).status).toBe(200);
    // Another link gives no more guesses.
    for (let tries = 0; tries < limits.secondFactorTriesPerAddress; tries++)
      expectProblem(await reset(await link(), wrongCodeOf(secret)), "wrong-code");
    expectProblem(await reset(await link(), codeOf(secret)), "too-many-attempts");
    await server.close();
  },
  60_000,
);
