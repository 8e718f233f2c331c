import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { engines } from "../support/postgres/postgres.ts";
import { settingsOf, type EngineName, type TestServer } from "../support/servers/server.ts";
import { branchOf, startRun, textOfMessage, type StartedRun } from "../support/clients/conversation.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const waitOptions = { timeout: 15_000, interval: 10 };
async function setUp(engine: EngineName) {
  const place = await placeForTest(engine);
  const model = await modelForTest();
  return {
    model,
    child: async () => await childForTest(place, model),
    server: async () => await serverForTest({ engine, place, settings: settingsOf(place, model) }),
  };
}

async function queue(who: Visitor, talk: StartedRun, text: string) {
  const answer = await who.ask("runs.start", {
    params: { thread_id: talk.thread_id },
    body: { message: { parent_id: talk.reply_id, queue: true, content: userMessage(text) } },
  });
  expect([201, 202], answer.text).toContain(answer.status);
  return answer.body;
}

/** A queued message that can be sent several times with the same ids. */
function queuedMessage(talk: StartedRun, word: string) {
  const ids = { id: newId("run"), reply_id: newId("message") };
  const text = `Word ${word} ${ids.id} tokens=3`;
  const message = { id: newId("message"), parent_id: talk.reply_id, queue: true, content: userMessage(text) };
  return {
    text,
    async send(who: Visitor): Promise<void> {
      const { status, text: words } = await who.ask("runs.start", {
        params: { thread_id: talk.thread_id },
        body: { ...ids, message },
      });
      expect([201, 202], words).toContain(status);
    },
  };
}

/** Waits until the killed server's run has ended. */
async function waitForRunEnd(
  server: TestServer,
  { thread_id }: StartedRun,
  engine: EngineName,
): Promise<void> {
  // On PostgreSQL the lease of the killed server must expire. A run without output is then retried.
  for (let round = 0; engine === "postgres" && round < 6; round++) {
    server.clock.advance(5_001);
    await adaOn(server).call("threads.get", { params: { thread_id } });
  }
  await vi.waitFor(async () => {
    const { thread } = await adaOn(server).call("threads.get", { params: { thread_id } });
    expect(thread.active_run_id).toBeNull();
  }, waitOptions);
}

const queueOf = async (who: Visitor, { thread_id }: StartedRun) =>
  (await who.call("messages.branch", { params: { thread_id } })).queue;

const questionsOf = async (who: Visitor, { thread_id }: StartedRun) =>
  (await who.call("messages.list", { params: { thread_id } })).messages
    .filter(({ content }) => content.role === "user")
    .toReversed()
    .map((message) => textOfMessage(message as never));

/** Waits until the queue is empty and no answer is in progress. Sends held messages after an interrupted answer. */
async function waitForQueue(who: Visitor, talk: StartedRun, isInterrupted: boolean): Promise<void> {
  await vi.waitFor(async () => {
    const [first] = await queueOf(who, talk);
    const params = { thread_id: talk.thread_id, queued_id: first?.id ?? "" };
    if (isInterrupted && first?.is_held === true) await who.ask("queue.send", { params });
    expect(first).toBeUndefined();
    expect((await branchOf(who, talk.thread_id)).at(-1)?.status.type).not.toBe("running");
  }, waitOptions);
}

describe.each(engines)("a queue (%s)", (engine) => {
  test.for(["run-start", "text-delta", "run-end"])(
    "loses and doubles no message when its server is killed at a %s",
    async (eventType) => {
      const { child, server } = await setUp(engine);
      const first = await child();
      const talk = await startRun(adaOn(first), "Zero tokens=30 gap=15");
      const queued = [];
      for (const word of ["One", "Two", "Three"])
        queued.push(await queue(adaOn(first), talk, `${word} tokens=5`));
      const stream = await adaOn(first).events(talk.run_id);
      await stream.until(({ data }) => data.type === eventType);
      await first.end("SIGKILL");

      const second = await server();
      if (engine === "postgres") second.clock.advance(16_000);
      await vi.waitFor(async () => {
        const { run } = await adaOn(second).call("runs.get", { params: { run_id: talk.run_id } });
        expect(run.ended_at).not.toBeNull();
      }, waitOptions);
      // A run that the killed server stored and did not start is retried once its lease has expired.
      await waitForRunEnd(second, talk, engine);
      await waitForQueue(adaOn(second), talk, true);
      expect(await questionsOf(adaOn(second), talk)).toEqual([
        "Zero tokens=30 gap=15",
        "One tokens=5",
        "Two tokens=5",
        "Three tokens=5",
      ]);
      for (const { run_id: runId } of queued) {
        const { run } = await adaOn(second).call("runs.get", { params: { run_id: runId } });
        expect(["completed", "interrupted"]).toContain(run.state);
      }
      expect(second.log.takeErrors()).toEqual([]);
    },
  );

  const life = fc.record({
    messages: fc.integer({ min: 1, max: 4 }),
    /** The server is killed before it responds to this message. */
    killedAt: fc.nat(3),
    /** Whether the queue is empty before the next server starts. */
    isSettled: fc.boolean(),
  });
  test(
    "sends every message once and in order, however often its server is killed",
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 3 }), async (lives) => {
          const { child, server } = await setUp(engine);
          let talk: StartedRun | undefined;
          const words = ["Zero tokens=20 gap=10"];
          for (const { messages, killedAt, isSettled } of lives) {
            const killed = await child();
            talk ??= await startRun(adaOn(killed), words[0]!);
            const posts = Array.from({ length: messages }, () => queuedMessage(talk!, `${words.length}`));
            for (const [index, post] of posts.entries()) {
              words.push(post.text);
              if (index === Math.min(killedAt, messages - 1)) {
                // The server dies during this request and may have stored the message or not.
                const sent = post.send(adaOn(killed)).catch(() => undefined);
                await killed.end("SIGKILL");
                await sent;
                break;
              }
              await post.send(adaOn(killed));
            }
            const next = await server();
            // Like the page: repeat the request until it succeeds.
            await posts[Math.min(killedAt, messages - 1)]!.send(adaOn(next));
            await waitForRunEnd(next, talk, engine);
            if (isSettled) await waitForQueue(adaOn(next), talk, true);
            expect(next.log.takeErrors()).toEqual([]);
            await next.close();
          }
          const last = await server();
          await waitForQueue(adaOn(last), talk!, true);
          expect(await questionsOf(adaOn(last), talk!)).toEqual(words);
          await last.close();
        }),
        { numRuns: engine === "sqlite" ? 3 : 2, endOnFailure: true, timeout: 90_000 },
      );
    },
  );

  const action = fc.oneof(
    { weight: 4, arbitrary: fc.constant("queue" as const) },
    { weight: 2, arbitrary: fc.constant("edit" as const) },
    { weight: 1, arbitrary: fc.constant("remove" as const) },
    { weight: 2, arbitrary: fc.constant("stop" as const) },
  );
  test("sends every message once and in order while messages are queued, edited, removed and runs stopped", async () => {
    const { server } = await setUp(engine);
    const servers = engine === "sqlite" ? [await server()] : [await server(), await server()];
    const on = (index: number) => adaOn(servers[index % servers.length]!);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          const talk = await startRun(on(0), "Zero tokens=6 gap=10");
          const params = { thread_id: talk.thread_id };
          const words = new Map<string, Set<string>>();
          const accepted: string[] = [];
          const removed = new Set<string>();
          let count = 0;
          const act = async (what: (typeof rounds)[number][number], index: number) => {
            const who = on(index);
            const [entry] = await queueOf(who, talk);
            const target = { ...params, queued_id: entry?.id ?? "msg_none" };
            if (what === "queue") {
              const text = `Word ${++count} tokens=2`;
              const { message_id: id } = await queue(who, talk, text);
              accepted.push(id);
              words.set(id, new Set([text]));
            } else if (what === "edit" && entry !== undefined) {
              const text = `Other ${++count} tokens=2`;
              const { status } = await who.ask("queue.update", {
                params: target,
                body: { content: userMessage(text) },
              });
              if (status === 200) words.set(entry.id, (words.get(entry.id) ?? new Set()).add(text));
            } else if (what === "remove" && entry !== undefined) {
              if ((await who.ask("queue.remove", { params: target })).status === 200) removed.add(entry.id);
            } else if (what === "stop") {
              const { thread } = await who.call("threads.get", { params });
              if (thread.active_run_id !== null)
                await who.call("runs.stop", { params: { run_id: thread.active_run_id } });
            }
          };
          for (const actions of rounds) await Promise.all(actions.map(act));
          await waitForQueue(on(0), talk, false);
          const questions = (await on(0).call("messages.list", { params })).messages
            .filter(({ content }) => content.role === "user")
            .toReversed()
            .slice(1);
          const ids = questions.map(({ id }) => id);
          expect(ids.toSorted()).toEqual(accepted.filter((id) => !removed.has(id)).toSorted());
          for (const message of questions)
            expect([...(words.get(message.id) ?? [])]).toContain(textOfMessage(message as never));
          // All messages are on one branch.
          const branch = await branchOf(on(0), talk.thread_id);
          expect(
            branch
              .filter(({ role }) => role === "user")
              .slice(1)
              .map(({ id }) => id),
          ).toEqual(ids);
        },
      ),
      { numRuns: 8, endOnFailure: true },
    );
  });
});

test("a run that kills its process is retried twice", async () => {
  const { child, model } = await setUp("sqlite");
  let server = await child();
  const talk = await startRun(adaOn(server), "Kill me wait=600000");
  const requestCount = () =>
    model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("Kill me")).length;
  for (const times of [1, 2, 3]) {
    await expect.poll(() => requestCount()).toBe(times);
    await server.end("SIGKILL");
    server = await child();
  }
  await vi.waitFor(async () => {
    const { run } = await adaOn(server).call("runs.get", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("interrupted");
  }, waitOptions);
  expect(requestCount()).toBe(3);
}, 60_000);
