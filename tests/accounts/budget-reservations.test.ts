import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commonBudgets, type BudgetLimits } from "#contract/accounts/budgets.ts";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
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
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { describeServer } from "../support/servers/server.ts";
import { childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

const none: BudgetLimits = {
  tokens_per_day: null,
  tokens_per_month: null,
  usd_per_day: null,
  usd_per_month: null,
};

const ask = async (who: Visitor, text = "One tokens=1", more: object = {}) =>
  await who.ask("runs.start", {
    params: { thread_id: newId("thread") },
    body: { message: { parent_id: null, content: userMessage(text) }, ...more },
  });
const usedBy = async (who: Visitor) => (await who.call("budgets.own")).budgets[0]!.used;

/** Sends a chat in OpenAI's format. */
async function openAi(url: string, secret: string, text: string, signal?: AbortSignal) {
  return await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { ...bearer(secret), "Content-Type": "application/json" },
    body: JSON.stringify({
      model: "env/fixture-1",
      stream: true,
      messages: [{ role: "user", content: text }],
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Reads until the first word, and disconnects when the result is called. */
async function readFirstWord(response: Response, disconnect: AbortController) {
  expect(response.status).toBe(200);
  await response.body!.getReader().read();
  return async () => disconnect.abort();
}

const options = { model: true, settings: { OPENAI_MODEL: "fixture-1" }, tools: approvalTools() };

describeServer("what answers reserve of budgets", options, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  const ids = {} as { ada: string; ben: string };
  const set = async (budget_id: string, limits: Partial<BudgetLimits>) =>
    await owner.call("budgets.put", { params: { budget_id }, body: { ...none, ...limits } });
  const endless = async (who: Visitor) => {
    const run = await startRun(who, "Open\nendless gap=20");
    (await waitForFirstWord(who, run.run_id)).stream.close();
    return run;
  };
  const stop = async (who: Visitor, run_id: string) => {
    await who.call("runs.stop", { params: { run_id } });
    await readWholeLog(who, run_id);
  };

  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
    for (const [name, who] of Object.entries({ ada, ben }))
      ids[name as keyof typeof ids] = (await who.call("auth.me")).user_id;
  });
  beforeEach(async () => {
    for (const id of [...commonBudgets, ids.ada, ids.ben])
      await owner.call("budgets.remove", { params: { budget_id: id } });
    // The sums of groups are kept for some seconds, and those of a day end with it.
    server().clock.advance(24 * 3_600_000);
  });

  test("lets one of 32 simultaneous answers begin with a budget for one, for people, guests and apps", async () => {
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    await set("everyone", { tokens_per_day: 300 });
    const external = visitor(
      server().url,
      "app",
      keyHeaders(apiKey, { userId: "eve", workspaceId: "org_1" }),
    );
    for (const who of [ada, guest, external]) {
      const answers = await Promise.all(
        Array.from({ length: 32 }, async (_, at) => await ask(who, `Round ${at}\nendless gap=20`)),
      );
      const started = answers.filter(({ status }) => status === 201);
      expect(started).toHaveLength(1);
      for (const refused of answers.filter(({ status }) => status !== 201)) {
        expectProblem(refused, "budget-wait");
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      await stop(who, started[0]!.body.run_id);
    }
  });

  test("refuses nobody who has something left when nothing of theirs is open", async () => {
    await set(ids.ada, { tokens_per_day: 5_000 });
    for (let round = 1; round <= 2; round++) {
      const asked = await ask(ada, `Round ${round} tokens=1`);
      expect(asked.status).toBe(201);
      await readWholeLog(ada, asked.body.run_id);
    }
    expect(await usedBy(ada)).toBeLessThan(5_000);
    const open = await endless(ada);
    expectProblem(await ask(ada), "budget-wait");
    expect((await ask(ben)).status).toBe(201);
    await stop(ada, open.run_id);
    expect((await ask(ada)).status).toBe(201);
  });

  test("fits several answers beside each other while there is enough for them", async () => {
    await set(ids.ada, { tokens_per_day: 1_000_000 });
    const open = await Promise.all([1, 2, 3].map(async () => await endless(ada)));
    for (const { run_id } of open) await stop(ada, run_id);
  });

  test("every way to ask takes part, and gets budget-wait instead of budget-used", async () => {
    const talk = await sendAndWait(ada, "Before tokens=2");
    const broken = await endless(ada);
    await stop(ada, broken.run_id);
    const { secret } = await ada.call("keys.create", { body: { name: "A script" } });
    server().clock.advance(24 * 3_600_000);
    await set(ids.ada, { tokens_per_day: 5_000 });
    const params = { thread_id: talk.thread_id };
    const message = { parent_id: talk.reply_id, content: userMessage("Never sent") };
    const stream = { ...params, assistant_id: "default", messages: [userMessage("Never sent")] };
    const ways = {
      start: async () => await ada.ask("runs.start", { params, body: { message } }),
      again: async () => await ada.ask("runs.start", { params, body: { parent_id: talk.message_id } }),
      continue: async () => await ada.ask("runs.continue", { params: { run_id: broken.run_id }, body: {} }),
      compare: async () =>
        await ada.ask("comparisons.start", {
          params,
          body: { message, models: ["env/fixture-1", "env/fixture-2"] },
        }),
      summary: async () => await ada.ask("summaries.create", { params, body: {} }),
      stream: async () => await ada.ask("runs.stream", { body: stream }),
    };
    const opened = {
      run: async () => {
        const run = await endless(ada);
        return async () => await stop(ada, run.run_id);
      },
      openai: async () => {
        const disconnect = new AbortController();
        const response = await openAi(server().url, secret, "Open\nendless gap=20", disconnect.signal);
        return await readFirstWord(response, disconnect);
      },
      protocol: async () => {
        const disconnect = new AbortController();
        const response = await fetch(`${server().url}/v1/runs/stream`, {
          method: "POST",
          headers: { ...ada.headers, "Content-Type": "application/json" },
          body: JSON.stringify({
            thread_id: "unstable_todo",
            assistant_id: "default",
            messages: [userMessage("Open\nendless gap=20")],
          }),
          signal: disconnect.signal,
        });
        return await readFirstWord(response, disconnect);
      },
      comparison: async () => {
        const compared = await ada.call("comparisons.start", {
          params: { thread_id: newId("thread") },
          body: {
            message: { parent_id: null, content: userMessage("Open\nendless gap=20") },
            models: ["env/fixture-1", "env/fixture-2"],
          },
        });
        return async () => {
          for (const { run_id } of compared.comparison.answers) await stop(ada, run_id);
        };
      },
    };
    for (const [name, open] of Object.entries(opened)) {
      // Each begins, because nothing else is open.
      const end = await open();
      for (const [way, asked] of Object.entries(ways)) {
        const answer = await asked();
        expect([name, way, answer.status]).toEqual([name, way, 429]);
        expectProblem(answer, "budget-wait");
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      const program = await openAi(server().url, secret, "Never sent");
      expect([name, program.status]).toEqual([name, 429]);
      expect(await program.json()).toMatchObject({ error: { code: "budget-wait" } });
      await end();
      server().clock.advance(24 * 3_600_000);
      // The run of a client that disconnects ends a moment later.
      let after: Awaited<ReturnType<typeof ask>> | undefined;
      await expect.poll(async () => (after = await ask(ada, "After tokens=1")).status).toBe(201);
      await readWholeLog(ada, after!.body.run_id);
    }
    expect(JSON.stringify(server().model.requests)).not.toContain("Never sent");
    expect(await branchOf(ada, talk.thread_id)).toHaveLength(2);
  });

  test("of a shared budget, the later one waits for the others, in a group and among guests", async () => {
    const { id: group_id } = await owner.call("groups.create", { body: { name: "Garden" } });
    for (const person_id of [ids.ada, ids.ben])
      await owner.call("groups.addMember", { params: { group_id, person_id } });
    await set(group_id, { tokens_per_day: 5_000 });
    const open = await endless(ben);
    expectProblem(await ask(ada), "budget-wait");
    expect((await ask(owner)).status).toBe(201);
    await stop(ben, open.run_id);
    expect((await ask(ada)).status).toBe(201);
    await owner.call("groups.remove", { params: { group_id } });

    const guests = await Promise.all(
      [1, 2].map(async () => {
        const guest = openBrowser(server().url);
        await guest.post("auth.openSession", {});
        return guest;
      }),
    );
    await set("guests", { tokens_per_day: 5_000 });
    const openGuest = await endless(guests[0]!);
    expectProblem(await ask(guests[1]!), "budget-wait");
    expect((await ask(ada)).status).toBe(201);
    await stop(guests[0]!, openGuest.run_id);
    expect((await ask(guests[1]!)).status).toBe(201);
  });

  test("a group that uses up its budget in some seconds does not exceed it by more than an answer", async () => {
    const { id: group_id } = await owner.call("groups.create", { body: { name: "Fast" } });
    await owner.call("groups.addMember", { params: { group_id, person_id: ids.ada } });
    await set(group_id, { tokens_per_day: 500 });
    const first = await ask(ada, "Fast tokens=600");
    await readWholeLog(ada, first.body.run_id);
    expectProblem(await ask(ada), "budget-used");
    await owner.call("groups.remove", { params: { group_id } });
  });

  test("counts money by the model's price, and nothing of a model without one", async () => {
    await set(ids.ada, { usd_per_day: 0.05 });
    const open = await ask(ada, "Open\nendless gap=20", { model: "env/fixture-2" });
    expect(open.status).toBe(201);
    expectProblem(await ask(ada, "One tokens=1", { model: "env/fixture-2" }), "budget-wait");
    expect((await ask(ada)).status).toBe(201);
    await stop(ada, open.body.run_id);
  });

  test("is replaced by what the answer used, and ends while it waits for its person", async () => {
    await set(ids.ada, { tokens_per_day: 12_000 });
    const talk = await sendAndGetCall(ada, 'Write to Ann. tool=send_letter({"to":"Ann"})');
    const open = await endless(ada);
    // The rest of the first answer does not fit beside this one and the next.
    const second = await endless(ada);
    expectProblem(await answerCall(ada, talk.run_id, true), "budget-wait");
    expect((await ada.call("runs.get", { params: talk as never })).run.state).toBe("requires-action");
    for (const { run_id } of [open, second]) await stop(ada, run_id);
    expect((await answerCall(ada, talk.run_id, true)).status).toBe(200);
    await readWholeLog(ada, talk.run_id);
    expect((await ask(ada)).status).toBe(201);
  });

  test("holds a queued message while the budget has no room for it beside another answer", async () => {
    await set(ids.ada, { tokens_per_day: 1_000_000 });
    const first = await startRun(ada, "First tokens=60 gap=20");
    (await waitForFirstWord(ada, first.run_id)).stream.close();
    const params = { thread_id: first.thread_id };
    const message = { parent_id: first.reply_id, content: userMessage("Second tokens=1"), queue: true };
    const { queued } = await ada.call("runs.start", { params, body: { message } });
    const open = await endless(ada);
    await set(ids.ada, { tokens_per_day: 5_000 });
    await readWholeLog(ada, first.run_id);
    const waiting = async () => (await ada.call("messages.branch", { params })).queue.map(({ id }) => id);
    expect(await waiting()).toEqual([queued!.id]);
    const inQueue = { ...params, queued_id: queued!.id };
    await ada.fails("budget-wait", "queue.send", { params: inQueue });
    await stop(ada, open.run_id);
    await set(ids.ada, { tokens_per_day: 1_000_000 });
    const sent = await ada.call("queue.send", { params: inQueue });
    await readWholeLog(ada, sent.run_id);
    expect(await waiting()).toEqual([]);
  });

  test("reserves nothing without a budget", async () => {
    const open = await endless(ada);
    const [row] = await rawSql(
      server().place,
      async (run) => await run(`select reserved_tokens from runs where id = '${open.run_id}'`),
    );
    expect(row).toEqual({ reserved_tokens: null });
    await stop(ada, open.run_id);
  });
});

describe.for(engines)("a server that is killed (%s)", (engine) => {
  test("leaves nothing reserved, neither by an answer nor by a program's request", async () => {
    const place = await placeForTest(engine);
    const model = await modelForTest();
    const first = await childForTest(place, model);
    const headers = keyHeaders(apiKey, { userId: "eve", workspaceId: "org_1" });
    const eve = (url: string) => visitor(url, "eve", headers);
    await rawSql(place, async (run) => {
      const limits = JSON.stringify({ ...none, tokens_per_day: 5_000 });
      await run(
        `insert into budgets (id, limits, updated_at) values ('everyone', '${limits}', ${Date.now()})`,
      );
    });
    const run = await startRun(eve(first.url), "Open\nendless gap=20");
    (await waitForFirstWord(eve(first.url), run.run_id)).stream.close();
    await rawSql(place, async (sql) => {
      await sql(`insert into budget_reservations (id, app_id, workspace_id, user_id, tokens, cost_micros, lease_owner, lease_expires_at)
        select 'req_0dead', app_id, workspace_id, user_id, 4000, 0, lease_owner, lease_expires_at from runs where id = '${run.run_id}'`);
    });
    expectProblem(await ask(eve(first.url)), "budget-wait");
    await first.end("SIGKILL");

    const second = await serverForTest({ engine, place, settings: { OPENAI_BASE_URL: model.url } });
    await expect.poll(async () => (await ask(eve(second.url))).status).toBe(201);
    await rawSql(place, async (sql) => {
      expect(await sql("select id from budget_reservations")).toEqual([]);
    });
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  test("let one of 32 simultaneous answers begin with a budget for one", async () => {
    const place = await placeForTest("postgres");
    const model = await modelForTest();
    const settings = { OPENAI_BASE_URL: model.url };
    const servers = [
      await serverForTest({ engine: "postgres", place, settings }),
      await serverForTest({ engine: "postgres", place, settings }),
    ];
    await rawSql(place, async (run) => {
      const limits = JSON.stringify({ ...none, tokens_per_day: 300 });
      await run(
        `insert into budgets (id, limits, updated_at) values ('everyone', '${limits}', ${Date.now()})`,
      );
    });
    const headers = keyHeaders(apiKey, { userId: "eve", workspaceId: "org_1" });
    const answers = await Promise.all(
      Array.from({ length: 32 }, async (_, at) => {
        const eve = visitor(servers[at % 2]!.url, "eve", headers);
        return await ask(eve, `Round ${at}\nendless gap=20`);
      }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});
