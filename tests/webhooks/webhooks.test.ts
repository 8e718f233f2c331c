import { readFile } from "node:fs/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { webhookEvents } from "#contract/webhooks/webhooks.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { startWebhookTarget, type Received, type WebhookTarget } from "#fixtures/webhook-target.ts";
import { ownedObjectsOf } from "../endpoints/owned-objects.ts";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { signUp, type Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

const target = await startWebhookTarget();
const settings = { FETCH_ALLOWED_HOSTS: `127.0.0.1:${target.port}` };
afterAll(async () => await target.close());

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Expects that the requests have valid signatures, checked by the library that apps use. */
function expectSigned(secret: string, requests: readonly Received[]): void {
  const verifier = new Verifier(secret);
  for (const { headers, body, event } of requests) {
    // The test has moved the server's clock.
    const now = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1_000);
    expect(verifier.verify(body, headers as Record<string, string>)).toEqual(event);
    now.mockRestore();
  }
}

describeServer("webhooks", { model: true, settings, webhookMs: 300 }, (server) => {
  let owner: Browser;
  let app_id: string;
  let received: WebhookTarget["received"];
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    app_id = (await owner.call("console.apps")).apps[0]!.id;
  });
  beforeEach(async () => {
    const { webhooks } = await owner.call("webhooks.list", { params: { app_id } });
    for (const { id } of webhooks)
      await owner.call("webhooks.remove", { params: { app_id, webhook_id: id } });
    received = target.received = [];
    target.answer = (response) => void response.writeHead(204).end();
  });

  async function create(body: Partial<BodyInputOf<"webhooks.create">> = {}) {
    const { webhook, secret } = await owner.call("webhooks.create", {
      params: { app_id },
      body: { url: `${target.url}/hook`, events: [...webhookEvents], ...body },
    });
    return { params: { app_id, webhook_id: webhook.id }, webhook, secret };
  }
  type Params = Awaited<ReturnType<typeof create>>["params"];
  const deliveries = async (params: Params) =>
    (await owner.call("webhooks.deliveries", { params })).deliveries;
  const stateOf = async (params: Params) =>
    (await owner.call("webhooks.list", { params })).webhooks.find(({ id }) => id === params.webhook_id)!;
  const typesOf = (requests: readonly Received[]) => requests.map(({ event }) => event.type);
  const newThread = async (who: Visitor) =>
    (await who.call("threads.create", { body: { last_message_at: new Date().toISOString() } })).thread_id;
  const report = async (
    who: Visitor,
    body: Omit<BodyInputOf<"runs.report">, "thread_id"> & { thread_id: string },
  ) => (await who.call("runs.report", { body })).run_id;
  /** Advances the clock and waits until the server has looked at it. */
  const later = (ms: number) => server().clock.advance(ms);

  test("tell of runs, feedback, threads and files with signed requests that have ids and no text", async ({
    ada,
  }) => {
    const { params, secret } = await create();
    const mine = await ownedObjectsOf(ada, "My secret garden. tokens=3");
    await ada.call("messages.feedback", {
      params: { thread_id: mine.thread_id, message_id: mine.reply_id },
      body: { type: "negative", comment: "not the secret that I meant" },
    });
    const failed = await report(ada, { thread_id: mine.thread_id, status: "error", error: "secret broken" });
    await expect.poll(() => received.length).toBe(5);
    expectSigned(secret, received);
    const guide = await readFile("docs/guides/webhooks.md", "utf8");
    const [, snippet = ""] = /```js\n([^]*?)```/.exec(guide)!;
    const { isFromParlance } = (await import(`data:text/javascript,${encodeURIComponent(snippet)}`)) as {
      isFromParlance(headers: object, body: string, secret: string): boolean;
    };
    for (const { headers, body } of received) {
      expect(isFromParlance(headers, body, secret)).toBe(true);
      expect(isFromParlance(headers, `${body} `, secret)).toBe(false);
    }
    const byType = Object.fromEntries(received.map((each) => [each.event.type, each]));
    const common = { app_id, user_id: "user_ada" };
    const ofThread = { ...common, thread_id: mine.thread_id };
    expect(byType["thread.created"]!.event.data).toEqual(ofThread);
    expect(byType["run.ended"]!.event.data).toEqual({
      ...ofThread,
      run_id: mine.run_id,
      message_id: mine.reply_id,
    });
    expect(byType["run.failed"]!.event.data).toMatchObject({ ...ofThread, run_id: failed });
    expect(byType["feedback.given"]!.event.data).toMatchObject({ ...ofThread, message_id: mine.reply_id });
    expect(byType["file.stored"]!.event.data).toEqual({ ...common, file_id: mine.file_id });
    expect(JSON.stringify(received)).not.toMatch(/secret garden|secret that|secret broken/);
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(5);
    await expect
      .poll(async () => (await deliveries(params)).map(({ state }) => state))
      .toEqual(Array.from({ length: 5 }, () => "delivered"));
    expect((await deliveries(params)).map(({ id }) => id).toSorted()).toEqual(ids.map(String).toSorted());
  });

  test("tell of each thing once: a second report of a run and the same thumb again are nothing new", async ({
    ada,
  }) => {
    await create();
    const mine = await ownedObjectsOf(ada);
    const of = { thread_id: mine.thread_id, message_id: mine.reply_id };
    await ada.call("messages.feedback", { params: of, body: { type: "positive" } });
    await ada.call("messages.feedback", { params: of, body: { type: "positive" } });
    const trace = { thread_id: mine.thread_id, trace_id: "ab".repeat(16), status: "completed" as const };
    expect(await report(ada, trace)).toBe(await report(ada, { ...trace, tags: ["again"] }));
    await ada.call("messages.feedback", { params: of, body: { type: "negative" } });
    await expect.poll(() => typesOf(received).filter((type) => type === "feedback.given").length).toBe(2);
    const counts = Object.groupBy(typesOf(received), (type) => type);
    expect(
      Object.entries(counts)
        .map(([type, list]) => `${type} ${list!.length}`)
        .toSorted(),
    ).toEqual(["feedback.given 2", "file.stored 1", "run.ended 2", "thread.created 1"]);
  });

  test("are sent only the chosen events, of their own app, and nothing of accounts and temporary threads", async ({
    ada,
  }) => {
    const { params } = await create({ events: ["thread.created"] });
    const elsewhere = await owner.call("console.createApp", { body: { name: "elsewhere" } });
    await owner.call("webhooks.create", {
      params: elsewhere,
      body: { url: `${target.url}/elsewhere`, events: [...webhookEvents] },
    });
    await owner.call("threads.create", { body: { last_message_at: new Date().toISOString() } });
    await ownedObjectsOf(owner);
    const guest = server().withToken((await signUp(server().url)).access_token);
    await guest.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: userMessage("Forget. tokens=3") }, temporary: true },
    });
    const mine = await ownedObjectsOf(ada);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]).toMatchObject({ path: "/hook", event: { data: { thread_id: mine.thread_id } } });
    expect(await deliveries(params)).toHaveLength(1);
    for (const { id } of (await owner.call("webhooks.list", { params: elsewhere })).webhooks) {
      const other = { ...elsewhere, webhook_id: id };
      expect((await owner.call("webhooks.deliveries", { params: other })).deliveries).toEqual([]);
      await owner.fails("webhook-not-found", "webhooks.deliveries", { params: { app_id, webhook_id: id } });
    }
  });

  test("repeat a failed delivery with its id, while later ones of its thread wait and other threads go on", async ({
    ada,
  }) => {
    const { params } = await create({ events: ["thread.created", "run.ended"] });
    const broken = newId("thread");
    target.answer = (response, { event }) =>
      void response.writeHead(event.data["thread_id"] === broken ? 503 : 200).end("busy");
    const start = async (thread_id: string) => {
      const body = { message: { parent_id: null, content: userMessage("tokens=3") } };
      const { run_id } = await ada.call("runs.start", { params: { thread_id }, body });
      await (await ada.events(run_id)).until(({ data }) => data.type === "run-end");
    };
    await start(broken);
    await expect.poll(async () => (await deliveries(params)).length).toBe(2);
    const healthy = newId("thread");
    await start(healthy);
    const ofThread = (id: string) => received.filter(({ event }) => event.data["thread_id"] === id);
    await expect.poll(() => typesOf(ofThread(healthy))).toEqual(["thread.created", "run.ended"]);
    expect(typesOf(ofThread(broken))).toEqual(["thread.created"]);
    for (const [before, pauseMs] of [
      [1, 5_000],
      [2, minuteMs],
      [3, 5 * minuteMs],
    ] as const) {
      await expect.poll(() => ofThread(broken).length).toBe(before);
      await expect
        .poll(async () => (await deliveries(params)).find(({ problem }) => problem !== null))
        .toMatchObject({
          state: "pending",
          attempts: before,
          problem: "status",
          response_status: 503,
          response_text: "busy",
        });
      later(pauseMs + 1_000);
    }
    await expect.poll(() => ofThread(broken).length).toBe(4);
    expect(await stateOf(params)).toMatchObject({ is_on: true, failing_since: expect.any(String) });
    target.answer = (response) => void response.writeHead(200).end();
    later(30 * minuteMs + 1_000);
    await expect.poll(() => typesOf(ofThread(broken)).at(-1)).toBe("run.ended");
    expect(
      new Set(
        ofThread(broken)
          .slice(0, 5)
          .map(({ headers }) => headers["webhook-id"]),
      ).size,
    ).toBe(1);
    await expect.poll(async () => (await stateOf(params)).failing_since).toBeNull();
  });

  test("tell of a temporary chat when it is kept", async ({ ada }) => {
    await create({ events: ["thread.created"] });
    const thread_id = newId("thread");
    const body = { message: { parent_id: null, content: userMessage("tokens=3") }, temporary: true };
    const { run_id } = await ada.call("runs.start", { params: { thread_id }, body });
    await (await ada.events(run_id)).until(({ data }) => data.type === "run-end");
    await ada.call("threads.update", { params: { thread_id }, body: { temporary: "keep" } });
    await expect.poll(() => received.map(({ event }) => event.data["thread_id"])).toEqual([thread_id]);
  });

  test("are sent again in time after a clock that was ahead is set back", async ({ ada }) => {
    await create({ events: ["thread.created"] });
    target.answer = (response) => void response.writeHead(500).end();
    server().clock.moveWall(48 * hourMs);
    await newThread(ada);
    await expect.poll(() => received.length).toBe(1);
    server().clock.moveWall(-48 * hourMs);
    later(10_000);
    await expect.poll(() => received.length).toBe(2);
  });

  test("are signed with both secrets for a day after a rotation", async ({ ada }) => {
    const { params, secret } = await create({ events: ["thread.created"] });
    const rotated = await owner.call("webhooks.rotateSecret", { params });
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.webhook.former_secret_until).not.toBeNull();
    await newThread(ada);
    await expect.poll(() => received.length).toBe(1);
    expectSigned(secret, received);
    expectSigned(rotated.secret, received);
    later(limits.webhookSecretOverlapMs + 1);
    await newThread(ada);
    await expect.poll(() => received.length).toBe(2);
    expect(received[1]!.headers["webhook-signature"]).toMatch(/^v1,[\w+/=]{44}$/);
    expect((await stateOf(params)).former_secret_until).toBeNull();
    expect(JSON.stringify(await owner.call("webhooks.list", { params }))).not.toContain("whsec_");
  });

  test("stop at a redirect, at 500 bytes of a long answer, and at a target that hangs", async ({ ada }) => {
    const { params } = await create({ events: ["thread.created"] });
    const answers: [WebhookTarget["answer"], object][] = [
      [
        (response) => void response.writeHead(307, { Location: `${target.url}/elsewhere` }).end("moved"),
        { problem: "status", response_status: 307, response_text: "moved" },
      ],
      [
        (response) => {
          response.writeHead(500);
          const chunk = Buffer.alloc(1024 * 1024, "x");
          let left = 50;
          const send = () => {
            while (left > 0 && response.write(chunk)) left--;
            if (left > 0) response.once("drain", send);
          };
          send();
        },
        { problem: "status", response_status: 500, response_text: "x".repeat(500) },
      ],
      [() => {}, { problem: "timeout", response_status: null, response_text: null }],
      [(response) => void response.destroy(), { problem: "unreachable", response_status: null }],
      [
        (response) => void response.writeHead(400).end(Buffer.from([0x4e, 0x00, 0xff, 0x4f])),
        { problem: "status", response_text: "N\uFFFD\uFFFDO" },
      ],
    ];
    for (const [answer, expected] of answers) {
      target.answer = answer;
      const threadId = await newThread(ada);
      await expect
        .poll(async () => (await deliveries(params)).find(({ data }) => data["thread_id"] === threadId))
        .toMatchObject({ attempts: 1, state: "pending", ...expected });
    }
    expect(received.every(({ path }) => path === "/hook")).toBe(true);
  });

  test("refuse addresses of private networks that the operator does not allow, when saved and when sent", async () => {
    const refused = async (url: string) => {
      const answer = await owner.ask("webhooks.create", {
        params: { app_id },
        body: { url, events: ["run.ended"] },
      });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("body.url");
    };
    for (const url of [
      "http://10.0.0.1/",
      "http://[::1]/",
      "http://169.254.169.254/",
      "ftp://example.com/",
      "https://u:p@example.com/",
      "https://example.com:8443/",
      "nothing",
    ])
      await refused(url);
    const { params } = await create({ url: "http://localhost/" });
    await owner.call("webhooks.test", { params });
    await expect
      .poll(async () => (await deliveries(params))[0])
      .toMatchObject({ type: "webhook.test", state: "failed", problem: "unreachable", attempts: 1 });
  });

  test("can be tested, and a delivery sent again with the same id, once", async ({ ada }) => {
    const { params, secret } = await create({ events: ["thread.created"] });
    const { delivery_id } = await owner.call("webhooks.test", { params });
    await expect.poll(() => received.length).toBe(1);
    expectSigned(secret, received);
    expect(received[0]).toMatchObject({
      headers: { "webhook-id": delivery_id },
      event: { type: "webhook.test" },
    });
    const threadId = await newThread(ada);
    await expect.poll(() => received.length).toBe(2);
    await expect.poll(async () => (await deliveries(params))[0]!.state).toBe("delivered");
    const [sent] = await deliveries(params);
    target.answer = (response) => void response.writeHead(500).end();
    await owner.call("webhooks.resend", { params: { ...params, delivery_id: sent!.id } });
    await expect
      .poll(async () => (await deliveries(params))[0])
      .toMatchObject({ state: "failed", attempts: 2 });
    expect(
      received.slice(1).map(({ headers, event }) => [headers["webhook-id"], event.data["thread_id"]]),
    ).toEqual([
      [sent!.id, threadId],
      [sent!.id, threadId],
    ]);
    await owner.fails("delivery-not-found", "webhooks.resend", {
      params: { ...params, delivery_id: "nothing" },
    });
  });

  test("switch themselves off after a day without success, and when the target is gone, with a notice", async ({
    ada,
  }) => {
    const { params } = await create({ events: ["thread.created"] });
    target.answer = (response) => void response.writeHead(500).end();
    await newThread(ada);
    for (const [before, pauseMs] of [
      5_000,
      minuteMs,
      5 * minuteMs,
      30 * minuteMs,
      hourMs,
      2 * hourMs,
      4 * hourMs,
      8 * hourMs,
      8.5 * hourMs,
    ].entries()) {
      await expect.poll(async () => (await deliveries(params))[0]!.attempts).toBe(before + 1);
      later(pauseMs + 1_000);
    }
    await expect
      .poll(async () => await stateOf(params))
      .toMatchObject({ is_on: false, off_reason: "failing" });
    expect((await deliveries(params))[0]).toMatchObject({ state: "failed", attempts: 10 });
    await newThread(ada);
    expect(await deliveries(params)).toHaveLength(1);
    await owner.fails("webhook-off", "webhooks.test", { params });
    const audited = await owner.call("audit.list", { query: { person: params.webhook_id } });
    expect(audited.entries[0]).toMatchObject({
      action: "webhook-switched-off",
      actor: "server",
      details: { app: app_id, host: `127.0.0.1:${target.port}`, reason: "failing" },
    });

    const { url, events } = await stateOf(params);
    await owner.call("webhooks.change", { params, body: { url, events, is_on: true } });
    expect(await stateOf(params)).toMatchObject({ is_on: true, off_reason: null, failing_since: null });
    target.answer = (response) => void response.writeHead(410).end();
    await newThread(ada);
    await expect.poll(async () => await stateOf(params)).toMatchObject({ is_on: false, off_reason: "gone" });
    expect((await deliveries(params))[0]).toMatchObject({
      state: "failed",
      problem: "not-sent",
      response_status: 410,
    });
  });

  test("forget a person who is erased, a guest who gets an account, and what is a week old", async () => {
    const { params } = await create({ events: ["thread.created"] });
    const zoe = server().inNewWorkspace("zoe");
    await newThread(zoe);
    const guest = await signUp(server().url);
    await newThread(server().withToken(guest.access_token));
    await expect
      .poll(async () => (await deliveries(params)).filter(({ state }) => state === "delivered"))
      .toHaveLength(2);
    await zoe.call("apps.eraseUser", { params: { user_id: "user_zoe" } });
    expect(await deliveries(params)).toHaveLength(1);
    const ben = await join(owner, { email: `${newId("user")}@example.com`, role: "member" });
    await ben.call("threads.claim", { body: { refresh_token: guest.refresh_token.token } });
    expect(await deliveries(params)).toEqual([]);
    await newThread(server().inNewWorkspace("yan"));
    await expect.poll(async () => (await deliveries(params))[0]?.state).toBe("delivered");
    later(limits.webhookDeliveriesKeptMs + hourMs);
    await expect.poll(async () => await deliveries(params)).toEqual([]);
  });

  test("are for administrators: members, guests and backends are refused", async ({ ada }) => {
    const { params } = await create();
    const admin = await join(owner, { email: `${newId("user")}@example.com`, role: "admin" });
    expect((await admin.call("webhooks.list", { params })).webhooks).toHaveLength(1);
    const member = await join(owner, { email: `${newId("user")}@example.com`, role: "member" });
    await member.fails("not-allowed", "webhooks.list", { params });
    await member.fails("not-allowed", "webhooks.rotateSecret", { params });
    await ada.fails("not-allowed", "webhooks.list", { params });
    const guest = server().withToken((await signUp(server().url)).access_token);
    await guest.fails("not-allowed", "webhooks.test", { params });
  });

  test("are limited in number, and need a URL and events", async () => {
    for (const body of [{ url: "" }, { events: [] }, { events: ["run.begun"] }] as object[]) {
      const whole = {
        url: `${target.url}/`,
        events: ["run.ended"],
        ...body,
      } as BodyInputOf<"webhooks.create">;
      await owner.fails("bad-request", "webhooks.create", { params: { app_id }, body: whole });
    }
    for (let count = 0; count < limits.webhooksMax; count++) await create();
    await owner.fails("too-many-webhooks", "webhooks.create", {
      params: { app_id },
      body: { url: `${target.url}/`, events: ["run.ended"] },
    });
  });
});
