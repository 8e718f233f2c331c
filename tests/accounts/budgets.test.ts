import { beforeAll, beforeEach, expect, test } from "vitest";
import { commonBudgets, type BudgetLimits } from "#contract/accounts/budgets.ts";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import {
  createOwner,
  join,
  openBrowser,
  openToEveryone,
  password,
  type Browser,
} from "../support/clients/browser.ts";
import {
  answerCall,
  branchOf,
  readWholeLog,
  sendAndGetCall,
  sendAndWait,
  startRun,
  waitForFirstWord,
} from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { acceptTokensOf, providerOf, withProviderToken } from "../support/servers/provider.ts";
import { describeServer } from "../support/servers/server.ts";

const none: BudgetLimits = {
  tokens_per_day: null,
  tokens_per_month: null,
  usd_per_day: null,
  usd_per_month: null,
};
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const options = { model: true, settings: { OPENAI_MODEL: "fixture-1" }, tools: approvalTools() };

describeServer("budgets", options, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  const ids = {} as { ada: string; ben: string; owner: string };
  const set = async (budget_id: string, limits: Partial<BudgetLimits>) =>
    await owner.call("budgets.put", { params: { budget_id }, body: { ...none, ...limits } });
  const unset = async (budget_id: string) => await owner.call("budgets.remove", { params: { budget_id } });
  const ask = async (who: Visitor, more: object = {}) =>
    await who.ask("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: userMessage("One tokens=1") }, ...more },
    });
  const groupOf = async (...people: string[]) => {
    const { id: group_id } = await owner.call("groups.create", { body: { name: newId("group") } });
    for (const person_id of people) await owner.call("groups.addMember", { params: { group_id, person_id } });
    return group_id;
  };
  /** As if the person's last request had taken so much. */
  async function spend(userId: string, { tokens = 0, usd = 0 }: { tokens?: number; usd?: number }) {
    const last = `select id from model_requests where user_id = '${userId}' and input_tokens is not null order by sent_at desc, id desc limit 1`;
    await rawSql(server().place, async (run) => {
      await run(
        `update model_requests set input_tokens = ${tokens}, output_tokens = 0, cost_micros = ${Math.round(usd * 1e6)} where id = (${last})`,
      );
    });
    // The sums of groups are kept for some seconds.
    server().clock.advance(6_000);
  }
  const midnight = () => new Date(Math.ceil(server().clock.now() / dayMs) * dayMs).toISOString();
  const nextMonth = () => {
    const now = new Date(server().clock.now());
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
  };

  beforeAll(async () => {
    const { clock } = server();
    // Noon of a day that is not the last of its month, in UTC.
    clock.advance(Date.parse(midnight()) + 12 * hourMs - clock.now());
    while (new Date(clock.now() + dayMs).getUTCDate() === 1) clock.advance(dayMs);
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
    for (const [name, who] of Object.entries({ ada, ben, owner }))
      ids[name as keyof typeof ids] = (await who.call("auth.me")).user_id;
  });
  beforeEach(async () => {
    for (const id of [...commonBudgets, ids.ada, ids.ben]) await unset(id);
  });

  test("stop every way to ask when one is used up, and say until when", async () => {
    const { secret } = await ada.call("keys.create", { body: { name: "A script" } });
    const talk = await sendAndWait(ada, "Before tokens=2");
    const breakOff = async () => {
      const run = await startRun(ada, "Broken off tokens=100 gap=20");
      (await waitForFirstWord(ada, run.run_id)).stream.close();
      await ada.call("runs.stop", { params: { run_id: run.run_id } });
      await readWholeLog(ada, run.run_id);
      return run;
    };
    const [broken, other] = [await breakOff(), await breakOff()];
    const continuation = { params: { run_id: other.run_id }, body: { id: newId("run") } };
    const continued = await ada.call("runs.continue", continuation);
    await readWholeLog(ada, continued.run_id);
    await set("everyone", { tokens_per_day: 1_000_000 });
    await spend(ids.ada, { tokens: 990_000 });
    const last = await ask(ada);
    expect(last.status).toBe(201);
    await readWholeLog(ada, last.body.run_id);
    await spend(ids.ada, { tokens: 1_000_000 });

    // A request whose response was lost, again.
    expect(await ada.call("runs.continue", continuation)).toEqual(continued);
    const refused = await ask(ada);
    expectProblem(refused, "budget-used");
    expect(refused.body).toMatchObject({ until: midnight() });
    const seconds = (Date.parse(midnight()) - server().clock.now()) / 1000;
    expect(Math.abs(Number(refused.headers.get("retry-after")) - seconds)).toBeLessThan(60);
    const params = { thread_id: talk.thread_id };
    const message = { parent_id: talk.reply_id, content: userMessage("Never sent") };
    const answers = await Promise.all([
      ada.ask("runs.start", { params, body: { message } }),
      ada.ask("runs.start", { params, body: { parent_id: talk.message_id } }),
      ada.ask("runs.continue", { params: { run_id: broken.run_id }, body: {} }),
      ada.ask("comparisons.start", { params, body: { message, models: ["env/fixture-1", "builtin"] } }),
      ada.ask("summaries.create", { params, body: {} }),
      ada.ask("runs.stream", {
        body: { ...params, assistant_id: "default", messages: [userMessage("Never sent")] },
      }),
    ]);
    for (const answer of answers) expectProblem(answer, "budget-used");
    const openai = async (path: string, body: object) => {
      const response = await fetch(`${server().url}/openai/v1/${path}`, {
        method: "POST",
        headers: { ...bearer(secret), "Content-Type": "application/json" },
        body: JSON.stringify({ model: "env/fixture-1", ...body }),
      });
      return { status: response.status, body: (await response.json()) as { error: { message: string } } };
    };
    for (const answer of [
      await openai("chat/completions", { messages: [{ role: "user", content: "Never sent" }] }),
      await openai("embeddings", { input: "Never sent" }),
    ]) {
      expect(answer).toMatchObject({ status: 402, body: { error: { code: "budget-used" } } });
      expect(answer.body.error.message).toContain(midnight());
    }
    const untitled = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const title = await ada.ask("runs.stream", {
      body: { ...untitled, assistant_id: "system/thread_title", messages: [userMessage("Never sent")] },
    });
    expect(title).toMatchObject({ status: 200, text: "Never sent" });
    expect(JSON.stringify(server().model.requests)).not.toContain("Never sent");
    expect(await branchOf(ada, talk.thread_id)).toHaveLength(2);

    // Nothing is asked of a model to read, and others have their own budget.
    expect((await ada.ask("threads.context", { params })).status).toBe(200);
    expect((await ask(ben)).status).toBe(201);
    server().clock.advance(Date.parse(midnight()) - server().clock.now() + 1);
    expect((await ask(ada)).status).toBe(201);
    server().clock.advance(12 * hourMs);
  });

  test("are somebody's own, else that of their role, else that of everyone, also without limits", async () => {
    const guest = await server().anonymous("gus");
    const { ada: external } = server().colleagues();
    const guestId = (await guest.call("auth.me")).user_id;
    const everybody = { ada, guest, external, owner };
    for (const who of Object.values(everybody)) await sendAndWait(who, "One tokens=1");
    const limitsOf = async (who: Visitor) =>
      (await who.call("budgets.own")).budgets.map(({ limit, amount }) => [limit, amount]);
    for (const who of Object.values(everybody)) expect(await limitsOf(who)).toEqual([]);

    await set("everyone", { usd_per_month: 5 });
    for (const who of Object.values(everybody)) expect(await limitsOf(who)).toEqual([["usd_per_month", 5]]);
    await set("member", { tokens_per_month: 7 });
    await set("guest", { tokens_per_month: 8 });
    await set("app", { tokens_per_month: 9 });
    await set("owner", {});
    expect(await limitsOf(ada)).toEqual([["tokens_per_month", 7]]);
    expect(await limitsOf(guest)).toEqual([["tokens_per_month", 8]]);
    expect(await limitsOf(external)).toEqual([["tokens_per_month", 9]]);
    expect(await limitsOf(owner)).toEqual([]);
    await set(ids.ada, { tokens_per_day: 1_000_000 });
    expect(await limitsOf(ada)).toEqual([["tokens_per_day", 1_000_000]]);
    expect((await ask(ada)).status).toBe(201);

    await spend(guestId, { tokens: 8 });
    const refused = await ask(guest);
    expectProblem(refused, "budget-used");
    expect(refused.body).toMatchObject({ until: nextMonth() });
    for (const name of ["everyone", "member", "guest", "app"]) await set(name, { tokens_per_day: 1 });
    expectProblem(await ask(external), "budget-used");
    await set(ids.ben, {});
    expect((await ask(ben)).status).toBe(201);
  });

  test("are not used by users of apps, who cannot have the id of an account", async () => {
    const provider = await providerOf(server());
    await acceptTokensOf(server(), provider);
    const params = await owner.call("console.createApp", { body: { name: "Garden" } });
    const { key } = await owner.call("console.createKey", { params, body: { name: "Backend" } });
    const joined = openBrowser(server().url);
    await joined.post("auth.openSession", {});
    const former = (await joined.call("auth.me")).user_id;
    const named = async (userId: string) => [
      visitor(server().url, "key", keyHeaders(apiKey, { userId, workspaceId: "org_1" })),
      visitor(server().url, "other", keyHeaders(key, { userId, workspaceId: "org_1" })),
      withProviderToken(server(), await provider.sign({ sub: userId })),
    ];
    for (const who of await named(former)) expect((await who.ask("auth.me")).status).toBe(200);
    await join(owner, { email: "gil@example.com", browser: joined });
    expect((await joined.call("auth.me")).user_id).toBe(former);
    const before = await ada.call("budgets.own");
    for (const id of [ids.owner, ids.ada, former])
      for (const who of await named(id)) {
        await who.fails("user-id-of-account", "auth.me");
        expectProblem(await ask(who), "user-id-of-account");
      }
    for (const id of ["ada", newId("user"), "usr_0", "räksmörgås"])
      for (const who of await named(id)) expect((await who.ask("auth.me")).status, id).toBe(200);
    expect(await ada.call("budgets.own")).toEqual(before);
    await provider.close();
  });

  test("of groups are shared by their members, and the one that lasts longest is named", async () => {
    await sendAndWait(ada, "One tokens=1");
    await sendAndWait(ben, "One tokens=1");
    const first = await groupOf(ids.ada, ids.ben);
    const second = await groupOf(ids.ada);
    await set(first, { tokens_per_month: 1_000_000 });
    await set(second, { tokens_per_day: 1_000_000 });
    await spend(ids.ben, { tokens: 900_000 });
    const { budgets } = await ada.call("budgets.own");
    const { budgets: listed } = await owner.call("budgets.list");
    expect(budgets.map(({ limit }) => limit)).toEqual(["tokens_per_month", "tokens_per_day"]);
    expect(budgets[0]!.used).toBeGreaterThanOrEqual(900_000);
    expect(budgets[0]).toMatchObject({ until: nextMonth(), amount: 1_000_000 });
    expect(listed.find(({ id }) => id === first)).toMatchObject({
      kind: "group",
      used: { tokens_per_month: budgets[0]!.used },
    });
    expect(JSON.stringify(await ben.call("budgets.own"))).not.toContain("tokens_per_day");
    await set(second, { tokens_per_day: 1 });
    await spend(ids.ben, { tokens: 1_000_000 });
    for (const who of [ada, ben]) expect((await ask(who)).body).toMatchObject({ until: nextMonth() });
    await owner.call("groups.remove", { params: { group_id: first } });
    expect((await ask(ada)).body).toMatchObject({ until: midnight() });
    expect((await ask(ben)).status).toBe(201);
    await owner.call("groups.remove", { params: { group_id: second } });
  });

  test("of all guests together cannot be evaded by a new guest, nor by one who signs in or is deleted", async () => {
    const newGuest = async () => {
      const browser = openBrowser(server().url);
      await browser.post("auth.openSession", {});
      return browser;
    };
    const used = async () =>
      (await owner.call("budgets.list")).common.find(({ id }) => id === "guests")!.used!.tokens_per_day;
    /** Sends a message and waits until its answer and the title of its thread are counted. */
    const sendAndSettle = async (who: Browser, text: string) => {
      const { thread_id: threadId } = await sendAndWait(who, text);
      const titles = async () =>
        await rawSql(server().place, async (run) => {
          const rows = await run(
            `select id from model_requests where thread_id = '${threadId}' and purpose = 'title'`,
          );
          return rows.length;
        });
      await expect.poll(titles).toBe(1);
    };
    const [gus, gil] = [await newGuest(), await newGuest()];
    const before = await used();
    await sendAndSettle(gus, "One tokens=1");
    expect(await used()).toBeGreaterThan(before);
    await set("guest", { tokens_per_day: 2_000_000 });
    const amount = (await used()) + 1;
    await set("guests", { tokens_per_day: amount });
    // It uses the budget up, so that no model writes a title.
    await sendAndWait(gil, "One tokens=1");

    for (const guest of [gus, gil]) expectProblem(await ask(guest), "budget-used");
    expect((await gil.call("budgets.own")).budgets).toMatchObject([
      { of_guests: true, group: null, amount },
      { of_guests: false, amount: 2_000_000 },
    ]);
    await gus.post("auth.closeSession");
    await gus.post("auth.openSession", {});
    expectProblem(await ask(gus), "budget-used");
    for (const who of [ada, owner, server().colleagues().ada]) expect((await ask(who)).status).toBe(201);
    expect(JSON.stringify(await ada.call("budgets.own"))).not.toContain('of_guests":true');

    await unset("guests");
    for (const round of [1, 2]) {
      const guest = await newGuest();
      const guestId = (await guest.call("auth.me")).user_id;
      await sendAndSettle(guest, `Round ${round} tokens=1`);
      const sum = await used();
      await guest.post("accounts.signIn", { email: "ada@example.com", password });
      expect(await used()).toBeGreaterThanOrEqual(sum);
      await rawSql(server().place, async (run) => {
        await run(`delete from sessions where user_id = '${guestId}'`);
        await run(`delete from users where id = '${guestId}'`);
      });
      expect(await used()).toBeGreaterThanOrEqual(sum);
      await set("guests", { tokens_per_day: sum });
      expectProblem(await ask(await newGuest()), "budget-used");
      await unset("guests");
    }
    const { ada: external } = server().colleagues();
    const settled = await used();
    await sendAndWait(external, "As the user of an app tokens=1");
    await sendAndWait(ada, "With an account tokens=1");
    expect(await used()).toBe(settled);

    await set("guests", { tokens_per_day: 1 });
    await join(owner, { email: "gus@example.com", browser: gus });
    expect((await ask(gus)).status).toBe(201);
  });

  test("of money count prices, and nothing for models without one", async () => {
    await set(ids.ada, { usd_per_day: 0.05 });
    const { budgets: before } = await ada.call("budgets.own");
    await sendAndWait(ada, "Free tokens=30");
    expect((await ada.call("budgets.own")).budgets[0]!.used).toBe(before[0]!.used);
    const priced = await ask(ada, { model: "env/fixture-2" });
    await readWholeLog(ada, priced.body.run_id);
    const today = new Date(server().clock.now()).toISOString().slice(0, 10);
    // The title also has a price.
    await expect
      .poll(async () => {
        const { rows } = await ada.call("usage.own", { query: { time_zone: "UTC" } });
        const { budgets } = await ada.call("budgets.own");
        return budgets[0]!.used - rows.find(({ day }) => day === today)!.cost_usd;
      })
      .toBeCloseTo(0, 9);
    expect((await ada.call("budgets.own")).budgets[0]!.used).toBeGreaterThan(before[0]!.used);
    await spend(ids.ada, { usd: 0.05 });
    expectProblem(await ask(ada), "budget-used");
  });

  test("let an answer that has begun end, and keep the messages in the queue", async () => {
    const first = await startRun(ada, "First tokens=60 gap=20");
    (await waitForFirstWord(ada, first.run_id)).stream.close();
    const params = { thread_id: first.thread_id };
    const message = { parent_id: first.reply_id, content: userMessage("Second tokens=1"), queue: true };
    const { queued } = await ada.call("runs.start", { params, body: { message } });
    await set(ids.ada, { tokens_per_day: 1 });
    const events = await readWholeLog(ada, first.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    const { queue: waiting } = await ada.call("messages.branch", { params });
    expect(waiting.map(({ id }) => id)).toEqual([queued!.id]);
    const inQueue = { ...params, queued_id: queued!.id };
    await ada.fails("budget-used", "queue.send", { params: inQueue });
    await unset(ids.ada);
    const sent = await ada.call("queue.send", { params: inQueue });
    await readWholeLog(ada, sent.run_id);
  });

  test("keep a run waiting for its person until there is some left", async () => {
    const talk = await sendAndGetCall(ben, 'Write to Ann. tool=send_letter({"to":"Ann"})');
    await set(ids.ben, { tokens_per_day: 1 });
    for (const approved of [true, false])
      expectProblem(await answerCall(ben, talk.run_id, approved), "budget-used");
    const params = { run_id: talk.run_id };
    expect((await ben.call("runs.get", { params })).run.state).toBe("requires-action");
    await unset(ids.ben);
    expect((await answerCall(ben, talk.run_id, true)).status).toBe(200);
    expect((await readWholeLog(ben, talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
  });

  test("are set by administrators, for people and groups that exist, and audited", async () => {
    const admin = await join(owner, { email: "admin@example.com", role: "admin" });
    const guest = await server().anonymous();
    const guestId = (await guest.call("auth.me")).user_id;
    const put = async (who: Visitor, budget_id: string, body: object) =>
      await who.ask("budgets.put", { params: { budget_id }, body: { ...none, ...body } });
    for (const id of ["nothing", guestId]) expectProblem(await put(admin, id, {}), "budget-not-found");
    for (const who of [ada, guest]) expectProblem(await put(who, ids.ada, {}), "not-allowed");
    for (const [field, value] of [
      ["tokens_per_day", 0],
      ["tokens_per_month", 1.5],
      ["usd_per_day", -1],
      ["usd_per_month", 2_000_000],
    ] as const) {
      const refused = await put(admin, ids.ada, { [field]: value });
      expectProblem(refused, "bad-request");
      expect(refused.text).toContain(`body.${field}`);
    }
    expect((await put(admin, ids.ada, { usd_per_day: 2.5 })).body).toEqual({ ...none, usd_per_day: 2.5 });
    await admin.call("budgets.remove", { params: { budget_id: ids.ada } });
    await admin.call("budgets.remove", { params: { budget_id: ids.ada } });
    const { entries } = await admin.call("audit.list", { query: { limit: 2 } });
    expect(entries).toMatchObject([
      { action: "budget-removed", target: ids.ada },
      { action: "budget-set", target: ids.ada, details: { usd_per_day: 2.5 } },
    ]);
  });

  test("are listed groups first, by name, page by page", async () => {
    const groups = await Promise.all([groupOf(), groupOf()]);
    const cat = await join(owner, { email: "cat@list.example" });
    const catId = (await cat.call("auth.me")).user_id;
    for (const id of [ids.ben, ids.ada, catId, ...groups]) await set(id, { usd_per_day: 1 });
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { budgets, next } = await owner.call("budgets.list", {
        query: { limit: 2, ...(after === undefined ? {} : { after }) },
      });
      seen.push(...budgets.map(({ kind, name, email }) => `${kind} ${name ?? email}`));
      after = next ?? undefined;
    } while (after !== undefined);
    expect(seen).toHaveLength(5);
    expect(seen).toEqual(seen.toSorted());
    const { budgets } = await owner.call("budgets.list", { query: { search: "@list.example" } });
    expect(budgets.map(({ id }) => id)).toEqual([catId]);
    await owner.fails("bad-cursor", "budgets.list", { query: { after: "nothing" } });
    for (const group_id of groups) await owner.call("groups.remove", { params: { group_id } });
    expect((await owner.call("budgets.list")).budgets).toHaveLength(3);
  });

  test("count what a guest used before they signed in, and always equal the requests", async () => {
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    await sendAndWait(guest, "As a guest tokens=1");
    await spend((await guest.call("auth.me")).user_id, { tokens: 5_000_000 });
    await set(ids.ada, { tokens_per_day: 5_000_000 });
    expect((await ask(ada)).status).toBe(201);
    await guest.post("accounts.signIn", { email: "ada@example.com", password });
    expectProblem(await ask(ada), "budget-used");

    const sums = await rawSql(server().place, async (run) => {
      const stored = await run(
        "select user_id, period, sum(tokens) as tokens, sum(cost_micros) as cost from usage_sums where app_id <> '' group by user_id, period order by user_id, period",
      );
      const requests = await run(
        "select user_id, sent_at, coalesce(input_tokens, 0) + coalesce(output_tokens, 0) as tokens, coalesce(cost_micros, 0) as cost from model_requests",
      );
      return { stored, requests };
    });
    const expected = new Map<string, { tokens: number; cost: number }>();
    for (const { user_id, sent_at, tokens, cost } of sums.requests) {
      const time = new Date(Number(sent_at)).toISOString();
      for (const period of [time.slice(0, 10), time.slice(0, 7)]) {
        const key = `${user_id} ${period}`;
        const sum = expected.get(key) ?? { tokens: 0, cost: 0 };
        expected.set(key, { tokens: sum.tokens + Number(tokens), cost: sum.cost + Number(cost) });
      }
    }
    const used = [...expected].filter(([, { tokens, cost }]) => tokens + cost > 0);
    expect(used.length).toBeGreaterThan(4);
    const stored = sums.stored.filter(({ tokens, cost }) => Number(tokens) + Number(cost) > 0);
    expect(
      new Map(
        stored.map(({ user_id, period, tokens, cost }) => [
          `${user_id} ${period}`,
          { tokens: Number(tokens), cost: Number(cost) },
        ]),
      ),
    ).toEqual(new Map(used));
  });
});
