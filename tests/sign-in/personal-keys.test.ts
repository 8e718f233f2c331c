import { beforeAll, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { apiKey } from "#fixtures/people.ts";
import { createOwner, join, newEmail, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("a personal key", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
  });
  const create = async (who = ada, body: { name: string; expires_in_days?: number } = { name: "Editor" }) =>
    await who.call("keys.create", { body });
  const use = async (secret: string, path = "/openai/v1/models") =>
    await server().guest.send("GET", path, { headers: { Authorization: `Bearer ${secret}` } });
  const codeOf = ({ text }: { text: string }) => (JSON.parse(text) as { error: { code: string } }).error.code;

  test("is shown once, and listed with its first characters and its last use", async () => {
    const { key, secret } = await create();
    expect(secret).toMatch(/^sk_parlance_\w{40}$/);
    expect(key).toMatchObject({ name: "Editor", prefix: secret.slice(0, 16), last_used_at: null });
    expect((await use(secret)).status).toBe(200);
    const { text, body } = await ada.ask("keys.list");
    expect(body.keys.find(({ id }) => id === key.id)!.last_used_at).not.toBeNull();
    expect(text).not.toContain(secret);
  });

  test("is refused once it is revoked or has expired", async () => {
    const [revoked, expiring] = [await create(), await create(ada, { name: "Short", expires_in_days: 1 })];
    await ada.call("keys.revoke", { params: { key_id: revoked.key.id } });
    expect(codeOf(await use(revoked.secret))).toBe("invalid-personal-key");
    expect((await use(expiring.secret)).status).toBe(200);
    server().clock.advance(24 * 3_600_000 + 1);
    const refused = await use(expiring.secret);
    expect([refused.status, codeOf(refused)]).toEqual([401, "invalid-personal-key"]);
    const listed = (await ada.call("keys.list")).keys.map(({ id }) => id);
    expect(listed).toContain(expiring.key.id);
    expect(listed).not.toContain(revoked.key.id);
  });

  test("ends with the person's access, also within a stream", async () => {
    const benEmail = newEmail("ben");
    const ben = await join(owner, { email: benEmail });
    const { secret } = await create(ben);
    const answer = await fetch(`${server().url}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        model: "env/fixture-1",
        messages: [{ role: "user", content: "Never stop\nendless gap=10" }],
        stream: true,
      }),
    });
    const { user_id: id } = await ben.call("auth.me");
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
    // The stream ends, in one way or another.
    await answer.text().catch(() => {});
    expect(codeOf(await use(secret))).toBe("invalid-personal-key");
    await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: false } });
    expect((await use(secret)).status).toBe(200);
    await owner.call("people.remove", { params: { person_id: id } });
    expect(codeOf(await use(secret))).toBe("invalid-personal-key");
  });

  test("is for these paths only, and they accept no other credential", async () => {
    const { secret } = await create();
    expectProblem(await use(secret, "/v1/threads"), "unsupported-credential");
    for (const other of ["", apiKey, "sk_parlance_", (await server().anonymous()).headers["Authorization"]!])
      expect(codeOf(await use(other.replace("Bearer ", "")))).toMatch(
        /^(invalid-personal-key|not-signed-in)$/,
      );
    expect(codeOf(await ada.send("GET", "/openai/v1/models"))).toBe("not-signed-in");
    expect(codeOf(await server().guest.send("POST", "/openai/v1/models"))).toBe("method-not-allowed");
  });

  test("is recorded in the audit log without the key", async () => {
    const { key, secret } = await create(owner);
    await owner.call("keys.revoke", { params: { key_id: key.id } });
    const { text, body } = await owner.ask("audit.list");
    expect(body.entries.filter(({ target }) => target === key.id).map(({ action }) => action)).toEqual([
      "personal-key-revoked",
      "personal-key-created",
    ]);
    expect(text).not.toContain(secret);
  });

  test("has a limit for each person", async () => {
    const eveEmail = newEmail("eve");
    const eve = await join(owner, { email: eveEmail });
    for (let n = 0; n < limits.personalKeysMax; n++) await create(eve);
    const body = { name: "One more" };
    await eve.fails("too-many-personal-keys", "keys.create", { body });
  });
});
