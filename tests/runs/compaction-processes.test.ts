import { describe, expect, test } from "vitest";
import type { ModelServer } from "#fixtures/model-server/model-server.ts";
import { sendAndWait, below } from "../support/clients/conversation.ts";
import { engines } from "../support/postgres/postgres.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** A thread of three questions. Its first one has these directives. */
async function longEnough(ada: Visitor, directives: string): Promise<{ thread_id: string }> {
  let last = await sendAndWait(ada, `Fact one is old. tokens=3 ${directives}`);
  for (const text of ["Second? tokens=3", "Third? tokens=3"])
    last = await sendAndWait(ada, text, below(last));
  return { thread_id: last.thread_id };
}

function summaryRequests(model: ModelServer) {
  return model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("Summarize the beginning"));
}

describe.for(engines)("compaction (%s)", (engine) => {
  test("that a kill interrupts leaves the thread as it was, and can be repeated", async () => {
    const place = await placeForTest(engine);
    const model = await modelForTest();
    const first = await childForTest(place, model);
    const params = await longEnough(adaOn(first), "summary-wait=3000");
    const broken = adaOn(first)
      .ask("summaries.create", { params, body: {} })
      .catch(() => undefined);
    await expect.poll(() => summaryRequests(model)).toHaveLength(1);
    await first.end("SIGKILL");
    await broken;

    const second = await serverForTest({ engine, place, settings: { OPENAI_BASE_URL: model.url } });
    const ada = adaOn(second);
    expect((await ada.call("messages.branch", { params })).summary).toBeNull();
    expect(await ada.call("summaries.list", { params })).toEqual({ summaries: [] });
    // The process that was killed had reserved the summary for a moment.
    second.clock.advance(60_000);
    const { summary } = await ada.call("summaries.create", { params, body: {} });
    expect((await ada.call("messages.branch", { params })).summary).toEqual(summary);
  });

  test("that is in progress does not keep a server from shutting down", async () => {
    const place = await placeForTest(engine);
    const model = await modelForTest();
    const server = await childForTest(place, model);
    // Longer than this test may take.
    const params = await longEnough(adaOn(server), "summary-wait=60000");
    const broken = adaOn(server)
      .ask("summaries.create", { params, body: {} })
      .catch(() => undefined);
    await expect.poll(() => summaryRequests(model)).toHaveLength(1);
    expect(await server.end("SIGTERM")).toMatchObject({ code: 0 });
    await broken;
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  test("summarize a branch only once", async () => {
    const place = await placeForTest("postgres");
    const model = await modelForTest();
    const servers = [await childForTest(place, model), await childForTest(place, model)];
    const params = await longEnough(adaOn(servers[0]!), "summary-wait=1000");
    const answers = await Promise.all(
      servers.map(async (server) => await adaOn(server).ask("summaries.create", { params, body: {} })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect(summaryRequests(model)).toHaveLength(1);
  });
});
