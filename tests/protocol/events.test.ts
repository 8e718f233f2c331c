import { expect, vi } from "vitest";
import { eventKinds } from "#contract/endpoints/events.ts";
import { newId } from "#contract/ids.ts";
import { openDatabase } from "#storage/database/open.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, newPlace, startTestServer } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { newestClient } from "./clients.ts";
import { apiKey } from "#fixtures/people.ts";

describeServer("the protocol's events", { model: true }, (server, engine) => {
  const add = async (who: Visitor, events: unknown) =>
    await who.ask("events.add", { body: { events } as never });

  test("of every kind are accepted and counted", async ({ ada }) => {
    const answer = await add(
      ada,
      eventKinds.map((kind) => ({ kind, value: 2, props: { a: "x", b: 1.5, c: true } })),
    );
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ accepted: eventKinds.length });
  });

  test("of threads that are not the visitor's are ignored", async ({ ada, eve }) => {
    const mine = await ownedObjectsOf(ada);
    const theirs = await ownedObjectsOf(eve);
    const trashed = await ownedObjectsOf(ada);
    await ada.call("threads.remove", { params: { thread_id: trashed.thread_id } });
    const of = (thread_id?: string) => ({
      kind: "message_copied",
      message_id: mine.message_id,
      ...(thread_id === undefined ? {} : { thread_id }),
    });
    const all = [
      of(mine.thread_id),
      of(theirs.thread_id),
      of(newId("thread")),
      of("nonsense"),
      of(trashed.thread_id),
      of(),
    ];
    expect((await add(ada, all)).body).toEqual({ accepted: 2 });
    expect((await add(eve, [of(mine.thread_id)])).body).toEqual({ accepted: 0 });
  });

  test.for<[string, unknown]>([
    ["no events", []],
    ["51 events", Array.from({ length: 51 }, () => ({ kind: "message_sent" }))],
    ["an unknown kind", [{ kind: "mind_read" }]],
    ["no kind", [{}]],
    ["a negative value", [{ kind: "message_sent", value: -1 }]],
    ["a broken value", [{ kind: "message_sent", value: 1.5 }]],
    ["a long id", [{ kind: "message_sent", thread_id: "x".repeat(49) }]],
    ["a long property", [{ kind: "message_sent", props: { a: "x".repeat(257) } }]],
    ["a nested property", [{ kind: "message_sent", props: { a: {} } }]],
    ["a null property", [{ kind: "message_sent", props: { a: null } }]],
    [
      "too many properties",
      [
        {
          kind: "message_sent",
          props: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key ${index}`, index])),
        },
      ],
    ],
    [
      "properties of too many bytes",
      [
        {
          kind: "message_sent",
          props: Object.fromEntries(["a", "b", "c"].map((key) => [key, "日".repeat(150)])),
        },
      ],
    ],
    ["a property without a name", [{ kind: "message_sent", props: { "": 1 } }]],
    ["a list of properties", [{ kind: "message_sent", props: [] }]],
  ])("are all refused if the request has %s", async ([, events]) => {
    expectProblem(await add(server().inNewWorkspace(), events), "bad-request");
  });

  test("are limited to six hundred a minute for each user, in batches of any size", async ({ ada, ben }) => {
    const fifty = Array.from({ length: 50 }, () => ({ kind: "message_sent" }));
    for (let batch = 0; batch < 12; batch++) expect((await add(ada, fifty)).status).toBe(202);
    const refused = await add(ada, [{ kind: "message_sent" }]);
    expectProblem(refused, "rate-limited");
    expect(JSON.parse(refused.text)).toMatchObject({ error: "rate_limited" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect((await add(ben, fifty)).status).toBe(202);
  });

  test("that are invalid do not count against the limit", async ({ ada }) => {
    const broken = [...Array.from({ length: 49 }, () => ({ kind: "message_sent" })), { kind: "x" }];
    for (let batch = 0; batch < 15; batch++) expectProblem(await add(ada, broken), "bad-request");
    expect((await add(ada, [{ kind: "message_sent" }])).status).toBe(202);
  });

  test("of the client are stored with all their fields", async () => {
    const place = await newPlace(engine);
    const own = await startTestServer({ engine, place });
    const cloud = new newestClient.AssistantCloud({
      baseUrl: own.url,
      apiKey,
      userId: "user_ada",
      workspaceId: "org",
    });
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const fetchSpy = vi.spyOn(globalThis, "fetch");
    // The client sends a batch of twenty events at once.
    for (let index = 0; index < 20; index++) {
      cloud.events.track({
        kind: "attachment_added",
        thread_id,
        value: index,
        props: { type: "a/b", nul: "\u0000", fine: true },
      });
    }
    await expect.poll(() => fetchSpy.mock.results.length).toBeGreaterThan(0);
    expect(((await fetchSpy.mock.results[0]!.value) as Response).status).toBe(202);
    fetchSpy.mockRestore();
    await own.close();
    const db = await openDatabase(place);
    const rows = await db.read.selectFrom("events").selectAll().orderBy("value").execute();
    await db.close();
    await place.remove();
    expect(rows).toHaveLength(20);
    expect(rows[7]).toMatchObject({
      kind: "attachment_added",
      thread_id,
      user_id: "user_ada",
      value: 7,
      message_id: null,
      run_id: null,
    });
    expect(JSON.parse(rows[7]!.props!)).toEqual({ type: "a/b", nul: "\u0000", fine: true });
  });
});
