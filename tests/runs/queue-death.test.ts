import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { apiKey, people, said } from "#fixtures/people.ts";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { startChildServer } from "../support/child-server.ts";
import { engines } from "../support/postgres.ts";
import {
  newPlace,
  settingsOf,
  startTestServer,
  type EngineName,
  type TestServer,
} from "../support/server.ts";
import { branchOf, say, textOfMessage, type Talk } from "../support/talk.ts";
import { keyHeaders, visitor, type Visitor } from "../support/visitor.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

const patience = { timeout: 15_000, interval: 10 };
const ada = ({ url }: { url: string }): Visitor => visitor(url, "ada", keyHeaders(apiKey, people.ada));

async function ground(engine: EngineName) {
  const place = await newPlace(engine);
  undo.push(place.remove);
  const model = await startModelServer();
  undo.push(model.close);
  const child = async () => {
    const started = await startChildServer(place, model);
    undo.push(async () => await started.end("SIGKILL"));
    return started;
  };
  const server = async () => {
    const settings = settingsOf(place, model);
    const started = await startTestServer({ engine, place, settings });
    undo.push(started.close);
    return started;
  };
  return { place, model, child, server };
}

async function queue(who: Visitor, talk: Talk, text: string) {
  const answer = await who.ask("runs.start", {
    params: { thread_id: talk.thread_id },
    body: { message: { parent_id: talk.reply_id, queue: true, content: said(text) } },
  });
  expect([201, 202], answer.text).toContain(answer.status);
  return answer.body;
}

/** A message for the queue whose ids are the same each time it is sent. */
function queueing(talk: Talk, word: string) {
  const ids = { id: newId("run"), reply_id: newId("message") };
  const text = `Word ${word} ${ids.id} tokens=3`;
  const message = { id: newId("message"), parent_id: talk.reply_id, queue: true, content: said(text) };
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

/** The dead server's answer is marked as interrupted, or was finished by somebody else. */
async function untilNobodyIsMissed(heir: TestServer, { thread_id }: Talk, engine: EngineName): Promise<void> {
  // PostgreSQL cannot know that nobody carries it until its lease has stood still, and asks anew what had not begun.
  for (let looks = 0; engine === "postgres" && looks < 6; looks++) {
    heir.clock.advance(5_001);
    await ada(heir).call("threads.get", { params: { thread_id } });
  }
  await vi.waitFor(async () => {
    const { thread } = await ada(heir).call("threads.get", { params: { thread_id } });
    expect(thread.active_run_id).toBeNull();
  }, patience);
}

const queueOf = async (who: Visitor, { thread_id }: Talk) =>
  (await who.call("messages.branch", { params: { thread_id } })).queue;

const questionsOf = async (who: Visitor, { thread_id }: Talk) =>
  (await who.call("messages.list", { params: { thread_id } })).messages
    .filter(({ content }) => content.role === "user")
    .toReversed()
    .map((message) => textOfMessage(message as never));

/** Nothing is being written, and nothing waits. What is held is sent, where an answer was broken off. */
async function untilAllIsSaid(who: Visitor, talk: Talk, brokenOff: boolean): Promise<void> {
  await vi.waitFor(async () => {
    const [first] = await queueOf(who, talk);
    const params = { thread_id: talk.thread_id, queued_id: first?.id ?? "" };
    if (brokenOff && first?.is_held === true) await who.ask("queue.send", { params });
    expect(first).toBeUndefined();
    expect((await branchOf(who, talk.thread_id)).at(-1)?.status.type).not.toBe("running");
  }, patience);
}

describe.each(engines)("a queue (%s)", (engine) => {
  test.for(["run-start", "text-delta", "run-end"])(
    "is neither lost nor doubled when its server is killed at a %s",
    async (moment) => {
      const { child, server } = await ground(engine);
      const first = await child();
      const talk = await say(ada(first), "Zero tokens=30 gap=15");
      const queued = [];
      for (const word of ["One", "Two", "Three"])
        queued.push(await queue(ada(first), talk, `${word} tokens=5`));
      const stream = await ada(first).events(talk.run_id);
      await stream.until(({ data }) => data.type === moment);
      await first.end("SIGKILL");

      const second = await server();
      if (engine === "postgres") second.clock.advance(16_000);
      await vi.waitFor(async () => {
        const { run } = await ada(second).call("runs.get", { params: { run_id: talk.run_id } });
        expect(run.ended_at).not.toBeNull();
      }, patience);
      // A run that the dead server made and did not begin is asked again, once its lease is over.
      if (engine === "postgres") second.clock.advance(16_000);
      await untilAllIsSaid(ada(second), talk, true);
      expect(await questionsOf(ada(second), talk)).toEqual([
        "Zero tokens=30 gap=15",
        "One tokens=5",
        "Two tokens=5",
        "Three tokens=5",
      ]);
      for (const { run_id: runId } of queued) {
        const { run } = await ada(second).call("runs.get", { params: { run_id: runId } });
        expect(["completed", "interrupted"]).toContain(run.state);
      }
      expect(second.log.takeErrors()).toEqual([]);
    },
  );

  const life = fc.record({
    messages: fc.integer({ min: 1, max: 4 }),
    /** Before the answer to which of them its server is killed. */
    killedAt: fc.nat(3),
    /** Whether all is said before the next life begins. */
    isSettled: fc.boolean(),
  });
  test(
    "is said whole, once and in order, however often its server is killed while it is sent",
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 3 }), async (lives) => {
          const { child, server } = await ground(engine);
          let talk: Talk | undefined;
          const words = ["Zero tokens=20 gap=10"];
          for (const { messages, killedAt, isSettled } of lives) {
            const mortal = await child();
            talk ??= await say(ada(mortal), words[0]!);
            const posts = Array.from({ length: messages }, () => queueing(talk!, `${words.length}`));
            for (const [index, post] of posts.entries()) {
              words.push(post.text);
              if (index === Math.min(killedAt, messages - 1)) {
                // On its way when the server dies: it may be there or not.
                const answered = post.send(ada(mortal)).catch(() => undefined);
                await mortal.end("SIGKILL");
                await answered;
                break;
              }
              await post.send(ada(mortal));
            }
            const heir = await server();
            // As the page does: the same again, until it is told that it is there.
            await posts[Math.min(killedAt, messages - 1)]!.send(ada(heir));
            await untilNobodyIsMissed(heir, talk, engine);
            if (isSettled) await untilAllIsSaid(ada(heir), talk, true);
            expect(heir.log.takeErrors()).toEqual([]);
            await heir.close();
          }
          const last = await server();
          await untilAllIsSaid(ada(last), talk!, true);
          expect(await questionsOf(ada(last), talk!)).toEqual(words);
          await last.close();
        }),
        { numRuns: engine === "sqlite" ? 3 : 2, endOnFailure: true, timeout: 90_000 },
      );
    },
  );

  const deed = fc.oneof(
    { weight: 4, arbitrary: fc.constant("queue" as const) },
    { weight: 2, arbitrary: fc.constant("edit" as const) },
    { weight: 1, arbitrary: fc.constant("remove" as const) },
    { weight: 2, arbitrary: fc.constant("stop" as const) },
  );
  test("says everything once and in order, whatever is queued, changed, taken out and stopped at once", async () => {
    const { server } = await ground(engine);
    const servers = engine === "sqlite" ? [await server()] : [await server(), await server()];
    const on = (index: number) => ada(servers[index % servers.length]!);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async (together) => {
          const talk = await say(on(0), "Zero tokens=6 gap=10");
          const params = { thread_id: talk.thread_id };
          const words = new Map<string, Set<string>>();
          const accepted: string[] = [];
          const removed = new Set<string>();
          let count = 0;
          const act = async (what: (typeof together)[number][number], index: number) => {
            const who = on(index);
            const [entry] = await queueOf(who, talk);
            const aim = { ...params, queued_id: entry?.id ?? "msg_none" };
            if (what === "queue") {
              const text = `Word ${++count} tokens=2`;
              const { message_id: id } = await queue(who, talk, text);
              accepted.push(id);
              words.set(id, new Set([text]));
            } else if (what === "edit" && entry !== undefined) {
              const text = `Other ${++count} tokens=2`;
              const { status } = await who.ask("queue.update", {
                params: aim,
                body: { content: said(text) },
              });
              if (status === 200) words.set(entry.id, (words.get(entry.id) ?? new Set()).add(text));
            } else if (what === "remove" && entry !== undefined) {
              if ((await who.ask("queue.remove", { params: aim })).status === 200) removed.add(entry.id);
            } else if (what === "stop") {
              const { thread } = await who.call("threads.get", { params });
              if (thread.active_run_id !== null)
                await who.call("runs.stop", { params: { run_id: thread.active_run_id } });
            }
          };
          for (const deeds of together) await Promise.all(deeds.map(act));
          await untilAllIsSaid(on(0), talk, false);
          const questions = (await on(0).call("messages.list", { params })).messages
            .filter(({ content }) => content.role === "user")
            .toReversed()
            .slice(1);
          const ids = questions.map(({ id }) => id);
          expect(ids.toSorted()).toEqual(accepted.filter((id) => !removed.has(id)).toSorted());
          for (const message of questions)
            expect([...(words.get(message.id) ?? [])]).toContain(textOfMessage(message as never));
          // One branch, so that nothing was said beside something else.
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

test("a question that kills its process is asked again twice, and then no more", async () => {
  const { child, model } = await ground("sqlite");
  let server = await child();
  const talk = await say(ada(server), "Kill me wait=600000");
  const asked = () =>
    model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("Kill me")).length;
  for (const times of [1, 2, 3]) {
    await vi.waitFor(() => expect(asked()).toBe(times), patience);
    await server.end("SIGKILL");
    server = await child();
  }
  await vi.waitFor(async () => {
    const { run } = await ada(server).call("runs.get", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("interrupted");
  }, patience);
  expect(asked()).toBe(3);
}, 60_000);
