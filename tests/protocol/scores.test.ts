import { beforeAll, describe, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import type { ErrorBody } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { ownedObjectsOf, type OwnedObjects } from "../endpoints/owned-objects.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { branchOf } from "../support/clients/conversation.ts";
import { describeServer } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { test } from "./clients.ts";

type ScoreBody = BodyInputOf<"scores.put">;

describeServer("the protocol's scores", { model: true }, (server) => {
  const put = async (who: Visitor, body: object) => await who.ask("scores.put", { body: body as ScoreBody });
  const numeric = { name: "quality", data_type: "numeric", value: 0.5 } as const;

  const ofAll = (targets: ("thread_id" | "message_id" | "run_id")[]) => (mine: OwnedObjects) => ({
    ...numeric,
    ...Object.fromEntries(targets.map((target) => [target, mine[target]])),
  });

  let rater: Visitor;
  let raterd: OwnedObjects;
  beforeAll(async () => {
    rater = server().inNewWorkspace();
    raterd = await ownedObjectsOf(rater);
  });

  test("are stored as the client reads them", async ({ cloud }) => {
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const { message_id } = await cloud.threads.messages.create(thread_id, {
      parent_id: null,
      format: "x",
      content: {},
    });
    const target = { thread_id, message_id };
    // The client itself refuses `true`.
    expect(await cloud.scores.create({ ...target, name: "kept", data_type: "boolean", value: true })).toEqual(
      {
        score_id: expect.stringMatching(/^score_[0-9a-z]{24}$/) as string,
        name: "kept",
        data_type: "boolean",
        value: 1,
        string_value: null,
      },
    );
    expect(
      await cloud.scores.create({ ...target, name: "kept", data_type: "boolean", value: false }),
    ).toMatchObject({ value: 0 });
    expect(
      await cloud.scores.create({
        thread_id,
        name: "tone",
        data_type: "categorical",
        string_value: "warm 😀",
      }),
    ).toMatchObject({
      value: null,
      string_value: "warm 😀",
    });
    expect(
      await cloud.scores.create({ thread_id, name: "n", data_type: "numeric", value: -1.25e-7 }),
    ).toMatchObject({ value: -1.25e-7 });
  });

  test("of the same author, name and target replace each other; others are separate", async () => {
    const { ada, ben } = server().colleagues();
    const mine = await ownedObjectsOf(ada);
    const message = { thread_id: mine.thread_id, message_id: mine.reply_id };
    const id = async (who: Visitor, body: object) => {
      const answer = await put(who, body);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.score_id;
    };
    const first = await id(ada, { ...numeric, run_id: mine.run_id });
    expect(await id(ada, { ...numeric, run_id: mine.run_id, value: 7 })).toBe(first);
    expect(
      await id(ada, { run_id: mine.run_id, name: "quality", data_type: "categorical", string_value: "good" }),
    ).toBe(first);
    const others = [
      await id(ben, { ...numeric, run_id: mine.run_id }),
      await id(ada, { ...numeric, name: "Quality", run_id: mine.run_id }),
      await id(ada, { ...numeric, thread_id: mine.thread_id }),
      await id(ada, { ...numeric, ...message }),
      await id(ada, { ...numeric, ...message, message_id: mine.message_id }),
    ];
    expect(new Set([first, ...others]).size).toBe(6);
    const { scores } = await ada.call("apps.scores", { query: { run_id: mine.run_id, name: "quality" } });
    expect(scores.find((score) => score.id === first)).toMatchObject({
      data_type: "categorical",
      value: null,
      string_value: "good",
      source: "api",
    });
  });

  test("put concurrently with the same author, name and target are one", async ({ ada }) => {
    const mine = await ownedObjectsOf(ada);
    for (const target of [{ run_id: mine.run_id }, { thread_id: mine.thread_id }]) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, async (_, value) => await put(ada, { ...numeric, ...target, value })),
      );
      expect(new Set(answers.map(({ body }) => body.score_id)).size).toBe(1);
    }
  });

  const n = { name: "n" };
  const text = { ...n, data_type: "categorical", string_value: "a" };
  // The target is the thread, unless a row names another one.
  test.for<[string, object | ((mine: OwnedObjects) => object)]>([
    ["value is required for numeric scores", { ...n, data_type: "numeric" }],
    ["value is required for numeric scores", { ...n, data_type: "numeric", value: true }],
    ["boolean scores require value to be true, false, 1, or 0", { ...n, data_type: "boolean", value: 2 }],
    ["boolean scores require value to be true, false, 1, or 0", { ...n, data_type: "boolean" }],
    ["string_value is required for categorical scores", { ...n, data_type: "categorical" }],
    ["categorical scores cannot include value", { ...text, value: 1 }],
    ["only categorical scores can include string_value", { ...numeric, string_value: "a" }],
    ["must have letters, digits, _, . and - only", { ...numeric, name: "with space" }],
    ["must not be empty", { ...numeric, name: "" }],
    ["must have at most 64 characters", { ...numeric, name: "x".repeat(65) }],
    ["must have at most 2000 characters", { ...numeric, comment: "x".repeat(2_001) }],
    ["must have at most 255 characters", { ...text, string_value: "x".repeat(256) }],
    ["must be numeric, categorical or boolean", { ...numeric, data_type: "text" }],
    ["must have at most 48 characters", { ...numeric, thread_id: "x".repeat(49) }],
    ["a score must target a message, run, or thread", () => numeric],
    ["a score must target exactly one message, run, or thread", ofAll(["thread_id", "run_id"])],
    ["a score must target exactly one message, run, or thread", ofAll(["message_id", "run_id"])],
    ["a score of a message must also have its thread_id", ofAll(["message_id"])],
  ])("are refused with a reason: %s", async ([reason, row]) => {
    const body = typeof row === "function" ? row(raterd) : { thread_id: raterd.thread_id, ...row };
    const answer = await put(rater, body);
    expectProblem(answer, "bad-request");
    expect((answer.body as unknown as ErrorBody).details?.map(({ message }) => message)).toContain(reason);
  });

  test("accept all numbers that JSON can represent, and no others", async ({ ada }) => {
    const { thread_id } = await ownedObjectsOf(ada);
    for (const value of [0, -0, 1e-300, 1.7976931348623157e308, 2 ** 53, 0.1]) {
      expect((await put(ada, { ...numeric, thread_id, value })).body.value).toBe(value === 0 ? 0 : value);
    }
    const huge = await ada.send("POST", "/v1/scores", {
      body: JSON.stringify({ ...numeric, thread_id }).replace("0.5", "1e999"),
    });
    expectProblem(huge, "bad-request");
  });

  test("of targets that do not exist or are a stranger's are refused", async ({ ada }) => {
    const mine = await ownedObjectsOf(ada);
    const theirs = await ownedObjectsOf(server().inNewWorkspace());
    for (const run_id of [theirs.run_id, newId("run"), "x"])
      expectProblem(await put(ada, { ...numeric, run_id }), "run-not-found");
    for (const thread_id of [theirs.thread_id, newId("thread"), "x"]) {
      expectProblem(await put(ada, { ...numeric, thread_id }), "thread-not-found");
      expectProblem(await put(ada, { ...numeric, thread_id, message_id: mine.reply_id }), "thread-not-found");
    }
    for (const message_id of [theirs.reply_id, newId("message"), "x"]) {
      const answer = await put(ada, { ...numeric, thread_id: mine.thread_id, message_id });
      expectProblem(answer, "message-not-in-thread");
      expect(JSON.parse(answer.text)).toMatchObject({ error: "message_id must belong to thread_id" });
    }
    expect((await ada.call("apps.scores", { query: { thread_id: mine.thread_id } })).scores).toEqual([]);
  });

  test("are kept when their target is deleted", async ({ ada }) => {
    const { thread_id, reply_id, run_id } = await ownedObjectsOf(ada);
    await put(ada, { ...numeric, thread_id, message_id: reply_id });
    await put(ada, { ...numeric, run_id });
    await ada.call("messages.remove", { params: { thread_id }, body: { message_ids: [reply_id] } });
    await ada.call("threads.remove", { params: { thread_id } });
    expect((await ada.call("apps.scores", { query: { thread_id } })).scores).toMatchObject([
      { message_id: reply_id, value: 0.5 },
    ]);
    expect((await ada.call("apps.scores", { query: { run_id } })).scores).toHaveLength(1);
    expectProblem(await put(ada, { ...numeric, thread_id }), "thread-not-found");
  });

  describe("that are a person's feedback", () => {
    const rate = async (who: Visitor, mine: OwnedObjects, body: object) =>
      await who.ask("messages.feedback", {
        params: { thread_id: mine.thread_id, message_id: mine.reply_id },
        body: body as never,
      });

    test("are stored as the client reads them", async ({ cloud }) => {
      const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
      const { message_id } = await cloud.threads.messages.create(thread_id, {
        parent_id: null,
        format: "x",
        content: {},
      });
      const up = await cloud.threads.messages.feedback(thread_id, message_id, { type: "positive" });
      expect(up).toMatchObject({ type: "positive" });
      const down = await cloud.threads.messages.feedback(thread_id, message_id, {
        type: "negative",
        comment: "No",
      });
      expect(down).toMatchObject({ feedback_id: up.feedback_id, type: "negative", comment: "No" });
    });

    test("keep their comment until the rating or the comment changes", async ({ ada, ben }) => {
      const mine = await ownedObjectsOf(ada);
      const rated = async (who: Visitor, body: object) => (await rate(who, mine, body)).body;
      const { feedback_id } = await rated(ada, { type: "positive" });
      expect(feedback_id).toMatch(/^score_/);
      for (const [sent, comment] of [
        [{ type: "positive" }, null],
        [{ type: "positive", comment: "  So good \n" }, "So good"],
        [{ type: "positive" }, "So good"],
        [{ type: "positive", comment: null }, "So good"],
        [{ type: "negative" }, null],
        [{ type: "negative", comment: "NUL \u0000" }, "NUL \ufffd"],
      ] as const)
        expect(await rated(ada, sent)).toEqual({ feedback_id, type: sent.type, reason: null, comment });
      const reason = "too-long";
      const comment = "One sentence";
      expect(await rated(ada, { type: "negative", reason, comment })).toMatchObject({ reason, comment });
      expect(await rated(ada, { type: "negative" })).toMatchObject({ reason, comment });
      const [, shown] = await branchOf(ada, mine.thread_id);
      expect(shown).toMatchObject({ feedback_reason: reason, feedback_comment: comment });
      const [, bens] = await branchOf(ben, mine.thread_id);
      expect(bens).toMatchObject({ feedback_reason: null, feedback_comment: null });
      expect(await rated(ada, { type: "negative", reason: "style" })).toMatchObject({
        reason: "style",
        comment: null,
      });
      expect(await rated(ada, { type: "negative", reason: null, comment })).toMatchObject({
        reason: null,
        comment,
      });
      expect((await rated(ben, { type: "negative" })).feedback_id).not.toBe(feedback_id);
      const { scores } = await ada.call("apps.scores", { query: { thread_id: mine.thread_id } });
      expect(scores.map(({ name, data_type, value, source }) => [name, data_type, value, source])).toEqual([
        ["feedback", "boolean", 0, "end_user"],
        ["feedback", "boolean", 0, "end_user"],
      ]);
    });

    test("require a type, and a comment that is not blank", async ({ ada }) => {
      const mine = await ownedObjectsOf(ada);
      for (const body of [
        {},
        { type: "neutral" },
        { type: true },
        { type: "positive", comment: "  " },
        { type: "positive", comment: "x".repeat(2_001) },
        { type: "negative", reason: "bad-weather" },
        { type: "positive", reason: "style" },
      ]) {
        expectProblem(await rate(ada, mine, body), "bad-request");
      }
      expect((await rate(ada, mine, { type: "positive", comment: `  ${"x".repeat(2_000)}  ` })).status).toBe(
        200,
      );
    });

    test("given concurrently are one", async ({ ada }) => {
      const mine = await ownedObjectsOf(ada);
      const answers = await Promise.all(
        Array.from(
          { length: 10 },
          async (_, index) => await rate(ada, mine, { type: index % 2 === 0 ? "positive" : "negative" }),
        ),
      );
      expect(new Set(answers.map(({ body }) => body.feedback_id)).size).toBe(1);
    });
  });
});
