import { beforeAll, beforeEach, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { BudgetLimits } from "#contract/accounts/budgets.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { readWholeLog, sendAndWait, startRun, textOf } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { bearer, type Visitor } from "../support/clients/visitor.ts";
import { describeServer } from "../support/servers/server.ts";

const none: BudgetLimits = {
  tokens_per_day: null,
  tokens_per_month: null,
  usd_per_day: null,
  usd_per_month: null,
};
const token = "the token of the scraper";
const settings = { OPENAI_MODEL: "fixture-1", METRICS_TOKEN: token };

describeServer("tokens that no provider reported", { model: true, settings }, (server) => {
  let owner: Browser;
  let ada: Browser;
  let adaId: string;
  const set = async (budget_id: string, limits: Partial<BudgetLimits>) =>
    await owner.call("budgets.put", { params: { budget_id }, body: { ...none, ...limits } });
  const ask = async (who: Visitor, text: string) =>
    await who.ask("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: userMessage(text) } },
    });
  /** Waits until the answer has so many characters, and stops it. */
  async function stopNearItsEnd(who: Visitor, run_id: string, characters: number) {
    const stream = await who.events(run_id);
    let seen = 0;
    await stream.until(
      ({ data }) => (seen += data.type === "text-delta" ? data.text.length : 0) > characters,
    );
    stream.close();
    await who.call("runs.stop", { params: { run_id } });
    await readWholeLog(who, run_id);
  }
  const requestsOf = async (run_id: string, who: Visitor = ada) =>
    (await who.call("runs.receipt", { params: { run_id } })).receipt.requests;
  /** What the person used of their budget today. */
  const used = async (who: Visitor = ada) => (await who.call("budgets.own")).budgets[0]!.used;

  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
    adaId = (await ada.call("auth.me")).user_id;
  });
  beforeEach(async () => {
    await set(adaId, { tokens_per_day: 1_000_000 });
  });

  test("count for budgets: answers that are stopped just before their end use one up", async () => {
    const cleo = await join(owner, { email: "cleo@example.com" });
    await set((await cleo.call("auth.me")).user_id, { tokens_per_day: 1_000 });
    let asked = await ask(cleo, "Round 1 tokens=740 stall=700");
    expect(asked.status).toBe(201);
    for (let round = 2; round <= 3 && asked.status === 201; round++) {
      await stopNearItsEnd(cleo, asked.body.run_id, 2_500);
      asked = await ask(cleo, `Round ${round} tokens=740 stall=700`);
    }
    expectProblem(asked, "budget-used");
  });

  test("are about what a whole answer takes, and are marked in the receipt, in usage and in metrics", async () => {
    const whole = await sendAndWait(ada, "Whole tokens=300");
    const reported = (await requestsOf(whole.run_id)).find(({ purpose }) => purpose === "answer")!;
    expect(reported).toMatchObject({ is_estimated: false });
    const before = await ada.call("usage.own");
    const stopped = await startRun(ada, "Stopped tokens=301 stall=300");
    await stopNearItsEnd(ada, stopped.run_id, textOf(whole.reply.parts).length * 0.9);
    const [estimated] = await requestsOf(stopped.run_id);
    expect(estimated).toMatchObject({ outcome: "cancelled", is_estimated: true });
    expect(estimated!.output_tokens! / reported.output_tokens!).toBeGreaterThan(0.7);
    expect(estimated!.output_tokens! / reported.output_tokens!).toBeLessThan(1.4);
    expect(estimated!.input_tokens!).toBeGreaterThan(20);
    const after = await ada.call("usage.own");
    const sum = (of: typeof after) => of.rows.reduce((total, row) => total + row.estimated_requests, 0);
    expect(sum(after)).toBeGreaterThan(sum(before));
    await expect
      .poll(async () => {
        const headers = { Authorization: `Bearer ${token}` };
        const { text } = await server().guest.send("GET", "/metrics", { headers });
        return text.split("\n").filter((line) => line.startsWith("parlance_estimated_tokens_total{"));
      })
      .toEqual([expect.stringMatching(/kind="input".* \d+$/), expect.stringMatching(/kind="output".* \d+$/)]);
  });

  test("count when the connection breaks, and when a whole answer comes without a report", async () => {
    const before = await used();
    const broken = await sendAndWait(ada, "Broken tokens=100 die=90");
    expect(broken.reply.end?.state).toBe("failed");
    const [request] = await requestsOf(broken.run_id);
    expect(request).toMatchObject({ outcome: "failed", is_estimated: true });
    expect(request!.output_tokens).toBeGreaterThan(60);
    expect(await used()).toBe(before + request!.input_tokens! + request!.output_tokens!);
    const unreported = await sendAndWait(ada, "Unreported tokens=100 usage=off");
    const answer = (await requestsOf(unreported.run_id)).find(({ purpose }) => purpose === "answer");
    expect(answer).toMatchObject({ outcome: "completed", is_estimated: true });
    expect(answer!.output_tokens).toBeGreaterThan(60);
  });

  test("are none of a request that the model refused, or that was stopped before the first word", async () => {
    const refused = await sendAndWait(ada, "Refused status=400 says=No");
    expect((await requestsOf(refused.run_id))[0]).toMatchObject({ input_tokens: null, is_estimated: false });
    const early = await startRun(ada, "Early first=60000");
    await server().requestsWith("Early first");
    await ada.call("runs.stop", { params: { run_id: early.run_id } });
    await readWholeLog(ada, early.run_id);
    for (const { input_tokens, is_estimated } of await requestsOf(early.run_id))
      expect([input_tokens, is_estimated]).toEqual([null, false]);
  });

  test("cost what a report of them would", async () => {
    const talk = await startRun(ada, "Priced tokens=301 stall=300", { model: "env/fixture-2" } as object);
    await stopNearItsEnd(ada, talk.run_id, 1_000);
    const [request] = await requestsOf(talk.run_id);
    const { input_tokens: input, output_tokens: output, cost_usd: cost } = request!;
    expect(cost).toBeCloseTo((input! * 3 + output! * 15) / 1e6, 9);
  });

  test("count for clients of the protocol and of OpenAI's API that disconnect", async () => {
    const { secret } = await ada.call("keys.create", { body: { name: "A script" } });
    const clients = {
      protocol: ["/v1/runs/stream", ada.headers, { thread_id: "unstable_todo", assistant_id: "default" }],
      openai: ["/openai/v1/chat/completions", bearer(secret), { model: "env/fixture-1", stream: true }],
    } as const;
    for (const [name, [path, headers, body]] of Object.entries(clients)) {
      const before = await used();
      const disconnect = new AbortController();
      const response = await fetch(server().url + path, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify({
          ...body,
          messages: [
            name === "openai"
              ? { role: "user", content: `As ${name} tokens=301 stall=300` }
              : userMessage(`As ${name} tokens=301 stall=300`),
          ],
        }),
        signal: disconnect.signal,
      });
      expect(response.status, name).toBe(200);
      let seen = 0;
      for await (const chunk of response.body!) {
        seen += chunk.length;
        if (seen > 1_000) break;
      }
      disconnect.abort();
      await expect.poll(async () => (await used()) - before).toBeGreaterThan(30);
    }
  });

  test("count for the budget of all guests, as do long answers", async () => {
    const sums = async () =>
      (await owner.call("budgets.list")).common.find(({ id }) => id === "guests")!.used!.tokens_per_day;
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    await set("guest", { tokens_per_day: 1_000_000 });
    const before = await sums();
    // It takes longer than several commits.
    await sendAndWait(guest, "Long tokens=40 gap=20");
    expect(await sums()).toBeGreaterThan(before + 30);
    const middle = await sums();
    const stopped = await startRun(guest, "Stopped tokens=301 stall=300");
    await stopNearItsEnd(guest, stopped.run_id, 1_000);
    expect(await sums()).toBeGreaterThan(middle + 100);
  });
});
