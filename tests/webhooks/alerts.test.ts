import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import type { AlertRulePut } from "#contract/alerts/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import { startWebhookTarget } from "#fixtures/webhook-target.ts";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

const target = await startWebhookTarget();
afterAll(async () => await target.close());
const settings = {
  FETCH_ALLOWED_HOSTS: `127.0.0.1:${target.port}`,
  PUBLIC_URL: "https://chat.example.com",
};
const minuteMs = 60_000;

describeServer("alert rules", { settings }, (server) => {
  let owner: Browser;
  let mails: MailServer;
  beforeAll(async () => {
    owner = await createOwner(server());
    mails = await startMailServer();
  });
  afterAll(async () => await mails.close());
  beforeEach(() => void (target.received = []));

  const setMail = async (port = mails.port) =>
    await owner.call("mail.put", {
      body: {
        host: "127.0.0.1",
        port,
        security: "none",
        username: null,
        sender: "parlance@example.com",
      },
    });

  /** A new app with a webhook for alerts, and a user of it. */
  async function newApp() {
    const params = await owner.call("console.createApp", { body: { name: newId("app") } });
    const { key } = await owner.call("console.createKey", { params, body: { name: "app" } });
    const user = visitor(server().url, "user", keyHeaders(key, { userId: "u1", workspaceId: "w1" }));
    const { webhook } = await owner.call("webhooks.create", {
      params,
      body: { url: `${target.url}/`, events: ["alert.started", "alert.ended"] },
    });
    const { thread_id } = await user.call("threads.create", {
      body: { last_message_at: new Date(server().clock.now()).toISOString() },
    });
    const report = async (status: "completed" | "error", more: object = {}) =>
      void (await user.call("runs.report", {
        body: { thread_id, status, ...more },
      }));
    const rule = async (body: Partial<AlertRulePut>) =>
      (
        await owner.call("alerts.create", {
          params,
          body: {
            kind: "error-rate",
            threshold: 50,
            window_minutes: 60,
            email: null,
            language: "en",
            is_on: true,
            ...body,
          },
        })
      ).rule.id;
    const stateOf = async (id: string) =>
      (await owner.call("alerts.list", { params })).rules.find((each) => each.id === id)!;
    return { params, webhook, user, report, rule, stateOf };
  }

  /** Lets the server check the rules that are due in a minute. */
  const nextMinute = () => server().clock.advance(minuteMs + 1);
  const typesOf = (ruleId: string) =>
    target.received
      .filter(({ event }) => event.data["alert_rule_id"] === ruleId)
      .map(({ event }) => event.type);

  /** Waits until the rule was checked again, in the next minute. */
  async function checkAgain(stateOf: (id: string) => Promise<{ checked_at: string | null }>, id: string) {
    const { checked_at: before } = await stateOf(id);
    nextMinute();
    await expect.poll(async () => (await stateOf(id)).checked_at).not.toBe(before);
  }

  test("tell once by e-mail and webhook that too many runs fail, and once that it is over", async () => {
    await setMail();
    const { report, rule, stateOf, params } = await newApp();
    const email = `${newId("user")}@example.com`;
    const id = await rule({ email });
    await checkAgain(stateOf, id);
    for (let n = 0; n < 4; n++) await report("error");
    await checkAgain(stateOf, id);
    // Too few runs.
    expect(await stateOf(id)).toMatchObject({ value: null, alert_since: null });
    await report("completed");
    await checkAgain(stateOf, id);
    expect(await stateOf(id)).toMatchObject({ value: 80, alert_since: expect.any(String) });
    const { apps } = await owner.call("console.apps");
    const { name } = apps.find((app) => app.id === params.app_id)!;
    const mail = await mails.take(email);
    expect(mail.source).toContain(`Subject: ${name}: 80 % of runs failed`);
    expect(mail.source).toContain(`/admin/apps/${params.app_id}/alerts`);
    await expect.poll(() => typesOf(id)).toEqual(["alert.started"]);
    // It goes up and down around the limit: one alert.
    for (let n = 0; n < 4; n++) await report("completed");
    await checkAgain(stateOf, id);
    expect((await stateOf(id)).value).toBeCloseTo(44.4, 1);
    for (let n = 0; n < 3; n++) await report("error");
    await checkAgain(stateOf, id);
    for (let n = 0; n < 9; n++) await report("completed");
    for (let minutes = 0; minutes < limits.alertCalmMs / minuteMs; minutes++) {
      await checkAgain(stateOf, id);
      expect((await stateOf(id)).alert_since).not.toBeNull();
    }
    await checkAgain(stateOf, id);
    expect((await stateOf(id)).alert_since).toBeNull();
    await expect.poll(() => typesOf(id)).toEqual(["alert.started", "alert.ended"]);
    expect((await mails.take(email)).source).toContain("the alert is over");
    expect(mails.received.filter(({ to }) => to.includes(email))).toHaveLength(2);
    expect(target.received.map(({ event }) => event.data)).toContainEqual({
      app_id: params.app_id,
      alert_rule_id: id,
    });
  });

  test("watch the 95th percentile of durations, the cost, and silence", async () => {
    const { report, rule, stateOf } = await newApp();
    const latency = await rule({ kind: "latency", threshold: 10 });
    const cost = await rule({ kind: "cost", threshold: 1.5 });
    const silence = await rule({ kind: "silence", threshold: null, window_minutes: 120 });
    for (let n = 1; n <= 20; n++) await report("completed", { duration_ms: n * 1_000, cost_usd: 0.1 });
    await checkAgain(stateOf, latency);
    await expect.poll(async () => (await stateOf(silence)).checked_at).not.toBeNull();
    expect(await stateOf(latency)).toMatchObject({ value: 19, alert_since: expect.any(String) });
    await expect
      .poll(async () => await stateOf(cost))
      .toMatchObject({ value: 2, alert_since: expect.any(String) });
    expect(await stateOf(silence)).toMatchObject({ alert_since: null });
    server().clock.advance(121 * minuteMs);
    await expect.poll(async () => (await stateOf(silence)).alert_since).not.toBeNull();
    await expect.poll(() => typesOf(silence)).toEqual(["alert.started"]);
    await report("completed");
    await checkAgain(stateOf, silence);
    server().clock.advance(limits.alertCalmMs);
    await expect.poll(() => typesOf(silence)).toEqual(["alert.started", "alert.ended"]);
  });

  test("say whether e-mail can be sent, and go on without it", async () => {
    await setMail();
    const { params, rule, stateOf } = await newApp();
    expect((await owner.call("alerts.list", { params })).mail_is_set).toBe(true);
    await owner.call("mail.remove");
    expect((await owner.call("alerts.list", { params })).mail_is_set).toBe(false);
    const id = await rule({ kind: "silence", threshold: null, window_minutes: 5, email: "ada@example.com" });
    server().clock.advance(6 * minuteMs);
    await expect.poll(() => typesOf(id)).toEqual(["alert.started"]);
    expect((await stateOf(id)).alert_since).not.toBeNull();
    expect(mails.received.some(({ to }) => to.includes("ada@example.com"))).toBe(false);
  });

  test("are announced while a mail server hangs", async () => {
    const sockets: Socket[] = [];
    const hanging = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    onTestFinished(() => {
      hanging.close();
      for (const socket of sockets) socket.destroy();
    });
    await once(hanging, "listening");
    await setMail((hanging.address() as AddressInfo).port);
    const { rule } = await newApp();
    const silence = { kind: "silence", threshold: null, window_minutes: 5 } as const;
    const mailed = await rule({ ...silence, email: "ada@example.com" });
    const announced = await rule(silence);
    server().clock.advance(6 * minuteMs);
    await expect.poll(() => [typesOf(mailed), typesOf(announced)].flat()).toHaveLength(2);
  });

  test("are turned off, changed and deleted without a message", async () => {
    const { params, rule, stateOf } = await newApp();
    const id = await rule({ kind: "silence", threshold: null, window_minutes: 5 });
    server().clock.advance(6 * minuteMs);
    await expect.poll(async () => (await stateOf(id)).alert_since).not.toBeNull();
    const of = { ...params, alert_rule_id: id };
    const body = {
      kind: "silence",
      threshold: null,
      window_minutes: 5,
      email: null,
      language: "en",
    } as const;
    await owner.call("alerts.change", { params: of, body: { ...body, is_on: false } });
    expect(await stateOf(id)).toMatchObject({ is_on: false, alert_since: null, checked_at: null });
    server().clock.advance(6 * minuteMs);
    const other = await rule({ kind: "silence", threshold: null, window_minutes: 5 });
    await expect
      .poll(async () => {
        nextMinute();
        return (await stateOf(other)).alert_since;
      })
      .not.toBeNull();
    expect(await stateOf(id)).toMatchObject({ alert_since: null, checked_at: null });
    await owner.call("alerts.remove", { params: of });
    await owner.fails("alert-rule-not-found", "alerts.remove", { params: of });
    expect(typesOf(id)).toEqual(["alert.started"]);
  });

  test("are for administrators, limited in number, and name what is wrong", async () => {
    const { params, rule } = await newApp();
    const member = await join(owner, { email: `${newId("user")}@example.com`, role: "member" });
    await member.fails("not-allowed", "alerts.list", { params });
    const wrong: [object, string][] = [
      [{ threshold: null }, "body.threshold"],
      [{ threshold: 101 }, "body.threshold"],
      [{ threshold: -1 }, "body.threshold"],
      [{ window_minutes: 4 }, "body.window_minutes"],
      [{ window_minutes: limits.alertWindowMinutesMax + 1 }, "body.window_minutes"],
      [{ email: "nobody" }, "body.email"],
      [{ kind: "weather" }, "body.kind"],
    ];
    for (const [part, path] of wrong) {
      const body = {
        kind: "error-rate",
        threshold: 5,
        window_minutes: 60,
        email: null,
        language: "en",
        is_on: true,
        ...part,
      };
      const answer = await (owner as Visitor).ask("alerts.create", { params, body: body as AlertRulePut });
      expect([answer.status, answer.text.includes(path)]).toEqual([400, true]);
    }
    for (let n = 0; n < limits.alertRulesMax; n++) await rule({ is_on: false });
    await expect(rule({})).rejects.toThrow("too-many-alert-rules");
  });
});
