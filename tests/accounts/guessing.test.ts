import { expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { createOwner, join, openBrowser, password } from "../support/clients/browser.ts";
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
