import * as fc from "fast-check";
import { beforeAll, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import type { ErrorBody } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { runCommandJson } from "../support/servers/cli.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";

describeServer("assistants", {}, (server) => {
  let owner: Visitor;
  beforeAll(async () => {
    owner = await server().owner();
  });

  const create = async (more: Partial<BodyInputOf<"assistants.create">> = {}) =>
    (await owner.call("assistants.create", { body: { name: "Gardener", ...more } })).assistant;
  const idsSeenBy = async (who: Visitor) =>
    (await who.call("assistants.list")).assistants.map(({ id }) => id);
  const paramsOf = ({ id }: { id: string }) => ({ params: { assistant_id: id } });

  test("have one from the start, without instructions of an admin", async ({ dan }) => {
    const { assistants, may_change: mayChange } = await dan.call("assistants.list");
    expect(assistants[0]).toEqual({
      id: "default",
      name: "Parlance",
      avatar: { text: "P", colour: "green" },
      starters: [],
      model: null,
      local_only: false,
      is_changed: false,
      created_at: null,
      updated_at: null,
    });
    expect(mayChange).toBe(false);
    expect((await owner.call("assistants.list")).may_change).toBe(true);
  });

  test("created by the owner can be selected by everybody in the app, who cannot read their settings", async () => {
    const created = await create({
      name: "  Gardener ",
      avatar: { text: "🌱", colour: "green" },
      instructions: "The secret of good soil.",
      model: "fixture-2",
      tools: ["calculate"],
      starters: ["What can I sow in May?"],
      parameters: { temperature: 0.4, top_p: 0.9, max_output_tokens: 500 },
    });
    expect(created).toMatchObject({ name: "Gardener", model: "fixture-2" });
    const people = [await server().anonymous("dan"), server().person("ada"), owner];
    for (const who of people) {
      const { text, body } = await who.ask("assistants.list");
      expect(body.assistants).toContainEqual(created);
      expect(text).not.toMatch(/secret|calculate|temperature/);
    }
    expect(await owner.call("assistants.get", paramsOf(created))).toEqual({
      assistant: created,
      settings: {
        instructions: "The secret of good soil.",
        tools: ["calculate"],
        parameters: { temperature: 0.4, top_p: 0.9, max_output_tokens: 500 },
      },
    });
    for (const who of people.slice(0, 2)) {
      await who.fails("not-allowed", "assistants.get", paramsOf(created));
      await who.fails("not-allowed", "assistants.update", { ...paramsOf(created), body: { name: "Mine" } });
      await who.fails("not-allowed", "assistants.remove", paramsOf(created));
    }
    expect((await owner.call("assistants.get", paramsOf(created))).assistant).toEqual(created);
  });

  test("have an avatar with the first character of their name by default", async () => {
    const avatars = [];
    for (const name of ["élan", "🦉 owl", "日本", "\u0000"])
      avatars.push((await create({ name })).avatar.text);
    expect(avatars).toEqual(["É", "🦉", "日", "\uFFFD"]);
  });

  test("keep instructions unchanged, with any characters", async () => {
    const created = await create();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => {
        const instructions = `${text}\u0000\ud800 `;
        await owner.call("assistants.update", { ...paramsOf(created), body: { instructions } });
        expect((await owner.call("assistants.get", paramsOf(created))).settings.instructions).toBe(
          instructions,
        );
      }),
      { numRuns: 25 },
    );
  });

  test("keep fields that an update does not name", async () => {
    const created = await create({ instructions: "Stay.", parameters: { temperature: 1 }, tools: [] });
    server().clock.advance(1_000);
    const { assistant } = await owner.call("assistants.update", {
      ...paramsOf(created),
      body: { avatar: { text: "X", colour: "rose" } },
    });
    expect(assistant).toEqual({
      ...created,
      avatar: { text: "X", colour: "rose" },
      updated_at: expect.not.stringMatching(created.updated_at!) as string,
    });
    expect((await owner.call("assistants.get", paramsOf(created))).settings).toEqual({
      instructions: "Stay.",
      tools: [],
      parameters: { temperature: 1 },
    });
  });

  test("are refused with an invalid field, and the error names the field and the rule", async () => {
    const wrong: [BodyInputOf<"assistants.create">, string, RegExp][] = [
      [{ name: "" }, "body.name", /must not be empty/],
      [{ name: "  " }, "body.name", /must not be empty/],
      [{ name: "x".repeat(61) }, "body.name", /at most 60/],
      [{ name: "x", instructions: "x".repeat(32_001) }, "body.instructions", /at most 32000/],
      [{ name: "x", starters: ["a", "b", "c", "d", "e"] }, "body.starters", /at most 4/],
      [{ name: "x", starters: ["a", " "] }, "body.starters.1", /must not be empty/],
      [{ name: "x", starters: ["x".repeat(201)] }, "body.starters.0", /at most 200/],
      [{ name: "x", avatar: { text: "ab", colour: "green" } }, "body.avatar.text", /one letter or one emoji/],
      [{ name: "x", avatar: { text: " ", colour: "green" } }, "body.avatar.text", /one letter or one emoji/],
      [{ name: "x", avatar: { text: "a", colour: "pink" as never } }, "body.avatar.colour", /green, blue/],
      [{ name: "x", tools: ["calculate", "rm"] }, "body.tools", /available tools: calculate, date/],
      [{ name: "x", parameters: { temperature: 2.1 } }, "body.parameters.temperature", /from 0 to 2/],
      [{ name: "x", parameters: { top_p: -0.1 } }, "body.parameters.top_p", /from 0 to 1/],
      [
        { name: "x", parameters: { max_output_tokens: 0 } },
        "body.parameters.max_output_tokens",
        /whole number/,
      ],
      [
        { name: "x", parameters: { max_output_tokens: 1.5 } },
        "body.parameters.max_output_tokens",
        /whole number/,
      ],
      [{ name: "x", model: "" }, "body.model", /must not be empty/],
      [{ name: "x", id: "asst_0" }, "body.id", /asst_0 and 24/],
    ];
    const before = await idsSeenBy(owner);
    for (const [body, path, rule] of wrong) {
      const answer = await owner.ask("assistants.create", { body });
      expectProblem(answer, "bad-request");
      expect((answer.body as unknown as ErrorBody).details).toEqual([
        { path, message: expect.stringMatching(rule) as string },
      ]);
    }
    expect(await idsSeenBy(owner)).toEqual(before);
  });

  test("are created once by repeated requests with the same id, and different ones are a conflict", async () => {
    const body = { id: newId("assistant"), name: "Twice" };
    const created = await Promise.all(
      Array.from({ length: 6 }, async () => await owner.call("assistants.create", { body })),
    );
    expect(new Set(created.map(({ assistant }) => JSON.stringify(assistant))).size).toBe(1);
    expect((await idsSeenBy(owner)).filter((id) => id === body.id)).toHaveLength(1);
    await owner.fails("conflict", "assistants.create", { body: { ...body, name: "Other" } });
  });

  test("have the order that the owner gives them, unnamed ones last", async () => {
    const [a, b, c] = [await create({ name: "A" }), await create({ name: "B" }), await create({ name: "C" })];
    const mine = async () =>
      (await idsSeenBy(owner)).filter((id) => [a.id, b.id, c.id, "default"].includes(id));
    expect(await mine()).toEqual(["default", a.id, b.id, c.id]);
    await owner.call("assistants.reorder", { body: { assistant_ids: [c.id, "nobody", "default", a.id] } });
    expect(await mine()).toEqual([c.id, "default", a.id, b.id]);
    const { assistants } = await owner.call("assistants.list");
    expect(assistants.find(({ id }) => id === "default")?.is_changed).toBe(false);
    expect((await idsSeenBy(await server().anonymous())).slice(0, 3)).toEqual([c.id, "default", a.id]);
  });

  test("that are deleted cannot be selected, and are restored unchanged", async () => {
    const created = await create({ instructions: "Come back." });
    await owner.call("assistants.remove", paramsOf(created));
    await owner.call("assistants.remove", paramsOf(created));
    expect(await idsSeenBy(owner)).not.toContain(created.id);
    await owner.fails("assistant-not-found", "assistants.get", paramsOf(created));
    await owner.fails("assistant-not-found", "assistants.update", { ...paramsOf(created), body: {} });
    expect((await owner.call("assistants.restore", paramsOf(created))).assistant).toEqual(created);
    expect((await owner.call("assistants.get", paramsOf(created))).settings.instructions).toBe("Come back.");
  });

  test("return to the built-in default when it is deleted, and restoring brings the changes back", async () => {
    const params = { params: { assistant_id: "default" } };
    const read = async () => await owner.call("assistants.get", params);
    const before = await read();
    await owner.call("assistants.update", { ...params, body: { name: "Ours", instructions: "Be brief." } });
    expect((await read()).assistant).toMatchObject({ id: "default", name: "Ours", is_changed: true });
    await owner.call("assistants.remove", params);
    expect(await read()).toMatchObject({
      assistant: { name: "Parlance", is_changed: false },
      settings: before.settings,
    });
    await owner.call("assistants.restore", params);
    expect(await read()).toMatchObject({
      assistant: { name: "Ours" },
      settings: { instructions: "Be brief." },
    });
    await owner.call("assistants.remove", params);
    await owner.call("assistants.update", { ...params, body: { starters: ["Anew"] } });
    expect(await read()).toMatchObject({
      assistant: { name: "Parlance", starters: ["Anew"] },
      settings: { instructions: "" },
    });
    await owner.call("assistants.remove", params);
  });

  test("are published on the owner's feed when they change", async () => {
    const feed = await owner.live();
    await feed.next();
    await create({ name: "News" });
    const seen = await feed.until(({ data }) => data.type === "change");
    expect(seen.at(-1)?.data).toMatchObject({ change: { type: "assistants-put" } });
    feed.close();
  });

  test("are not visible in other apps", async () => {
    const created = await create({ name: "Ours alone" });
    const { place, url } = server();
    await runCommandJson(place, "app", "create", "shop");
    const { key } = await runCommandJson<{ key: string }>(place, "key", "create", "shop", "--app", "shop");
    const cleo = visitor(url, "cleo", keyHeaders(key, { userId: "user_cleo", workspaceId: "org_looms" }));
    expect(await idsSeenBy(cleo)).toEqual(["default"]);
    const params = { thread_id: newId("thread") };
    const body = { message: { parent_id: null, content: userMessage("Hello") }, assistant_id: created.id };
    await cleo.fails("assistant-not-found", "runs.start", { params, body });
    await cleo.fails("thread-not-found", "threads.get", { params });
  });

  test("are at most a hundred, not counting deleted ones", async () => {
    const own = (await idsSeenBy(owner)).filter((id) => id !== "default").length;
    const created = [];
    for (let n = own; n < limits.assistantsMax; n++) created.push(await create({ name: `No. ${n}` }));
    const one = created[0]!;
    await owner.fails("too-many-assistants", "assistants.create", { body: { name: "One more" } });
    await owner.call("assistants.remove", paramsOf(one));
    await create({ name: "One more" });
    await owner.fails("too-many-assistants", "assistants.restore", paramsOf(one));
  });
});
