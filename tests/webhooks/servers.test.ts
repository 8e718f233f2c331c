import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import type { WebhookEvent } from "#contract/webhooks/webhooks.ts";
import { startWebhookTarget } from "#fixtures/webhook-target.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { adaOn, childForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

/** A target, and a place whose first app tells it of threads. */
async function setUp(engine: (typeof engines)[number], events: WebhookEvent[] = ["thread.created"]) {
  const target = await startWebhookTarget();
  onTestFinished(target.close);
  const place = await placeForTest(engine);
  const settings = { FETCH_ALLOWED_HOSTS: `127.0.0.1:${target.port}` };
  const server = await serverForTest({ engine, place, settings });
  // Not with an account: then a server does not print the link by which the test sees that it has started.
  const owner = await server.owner();
  const { apps } = await owner.call("console.apps");
  const params = { app_id: apps[0]!.id };
  const { webhook, secret } = await owner.call("webhooks.create", {
    params,
    body: { url: `${target.url}/`, events },
  });
  const deliveries = { params: { ...params, webhook_id: webhook.id } };
  return { target, place, settings, server, owner, secret, deliveries };
}

const newThread = async (server: { url: string }) =>
  (await adaOn(server).call("threads.create", { body: { last_message_at: new Date().toISOString() } }))
    .thread_id;

describe.for(engines)("deliveries of webhooks (%s)", (engine) => {
  test("are not lost when their server is killed before it has sent them, and have the same id again", async () => {
    const { target, place, settings, server, secret } = await setUp(engine);
    await server.close();
    const killed = await childForTest(place, undefined, settings);
    // The target has the request, and its answer does not arrive.
    target.answer = () => {};
    const first = await newThread(killed);
    await expect.poll(() => target.received.length).toBe(1);
    const second = await newThread(killed);
    await killed.end("SIGKILL");
    target.answer = (response) => void response.writeHead(204).end();
    await childForTest(place, undefined, settings);
    const threadsOf = () => new Set(target.received.slice(1).map(({ event }) => event.data["thread_id"]));
    // The job of the killed server is found within 15 s.
    await expect.poll(() => threadsOf().size, { timeout: 45_000 }).toBeGreaterThan(1);
    expect(threadsOf()).toEqual(new Set([first, second]));
    const idsOf = (thread: string) =>
      target.received
        .filter(({ event }) => event.data["thread_id"] === thread)
        .map(({ headers }) => headers["webhook-id"]);
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(2);
    for (const { body, headers } of target.received)
      new Verifier(secret).verify(body, headers as Record<string, string>);
  }, 90_000);

  test.runIf(engine === "postgres")("are sent once by several servers", async () => {
    const { target, place, settings, server, owner, deliveries } = await setUp(engine);
    const others = [
      await serverForTest({ engine, place, settings }),
      await serverForTest({ engine, place, settings }),
    ];
    const servers = [server, ...others];
    const threads = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => await newThread(servers[n % 3]!)),
    );
    await expect.poll(() => target.received.length).toBeGreaterThanOrEqual(60);
    await expect
      .poll(async () => {
        const query = { limit: 100 };
        const page = await owner.call("webhooks.deliveries", { ...deliveries, query });
        return page.deliveries.filter(({ state }) => state === "delivered").length;
      })
      .toBe(60);
    expect(target.received.map(({ event }) => String(event.data["thread_id"])).toSorted()).toEqual(
      threads.toSorted(),
    );
  });

  test("of ten thousand events are sent a few at a time, each thread's in their order", async () => {
    const { target, place, owner, deliveries } = await setUp(engine, ["run.ended"]);
    const [events, threads] = [10_000, 50];
    const number = engine === "sqlite" ? "value" : "n";
    const series =
      engine === "sqlite"
        ? `json_each('[${Array.from({ length: events }, (_, n) => n).join()}]')`
        : `generate_series(0, ${events - 1}) as n`;
    await rawSql(
      place,
      async (run) =>
        await run(`insert into webhook_deliveries (webhook_id, event_id, type, data, thread_id, created_at, due_at)
          select '${deliveries.params.webhook_id}', 'event-' || ${number}, 'run.ended', '{}',
          'thread-' || (${number} % ${threads}), ${Date.now()}, ${Date.now()} from ${series} order by ${number}`),
    );
    const numbers = () =>
      target.received.map(({ headers }) => Number(/\d+$/.exec(headers["webhook-id"] as string)));
    await expect.poll(() => target.received.length, { timeout: 120_000 }).toBe(events);
    for (let thread = 0; thread < threads; thread++) {
      const ofThread = numbers().filter((n) => n % threads === thread);
      expect(ofThread).toEqual(ofThread.toSorted((a, b) => a - b));
    }
    expect(target.mostAtOnce).toBeLessThanOrEqual(4);
    const { deliveries: page, next } = await owner.call("webhooks.deliveries", deliveries);
    expect([page.length, next]).toEqual([50, page.at(-1)!.id]);
  }, 150_000);
});
