import { expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { approvalTools } from "./support/servers/approval-tools.ts";
import { expectProblem } from "./support/clients/problem.ts";
import { describeServer, test } from "./support/servers/server.ts";
import {
  answerCall,
  startRun,
  sendAndGetCall,
  sendAndWait,
  readWholeLog,
} from "./support/clients/conversation.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "./support/clients/visitor.ts";

const long = "A long one. tokens=2000 gap=20";
const retryFor = { timeout: 10_000, interval: 20 };
const settings = {
  RUNS_PER_VISITOR: "3",
  RUNS_PER_ADDRESS: "5",
  STREAMS_PER_VISITOR: "4",
  STREAMS_PER_ADDRESS: "6",
};

describeServer("limits of concurrent work", { model: true, settings, tools: approvalTools() }, (server) => {
  const start = async (who: Visitor) => await startRun(who, long);
  const tryToStart = async (who: Visitor) =>
    await who.ask("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: userMessage(long) } },
    });
  const stop = async (who: Visitor, runs: { run_id: string }[]) => {
    for (const { run_id: runId } of runs) await who.call("runs.stop", { params: { run_id: runId } });
  };
  const streamed = async (who: Visitor, threadId: string) =>
    await who.ask("runs.stream", {
      body: {
        thread_id: threadId,
        assistant_id: "default",
        messages: [{ role: "user", content: userMessage("hi").content }],
      },
    });
  /** Users with the same IP address. */
  const usersOfOneAddress = async (count: number): Promise<Visitor[]> => {
    const address = newAddress();
    return await Promise.all(
      Array.from({ length: count }, async () =>
        visitor(server().url, "neighbour", {
          ...bearer((await signUp(server().url)).access_token),
          ...address,
        }),
      ),
    );
  };

  test("limits the runs of one visitor, of every kind, without affecting others", async ({ dan }) => {
    const broken = await sendAndWait(dan, "Breaks off. tokens=5 die=2");
    const runs = [await start(dan), await start(dan), await start(dan)];
    const refused = await tryToStart(dan);
    expectProblem(refused, "too-many-runs");
    expect(refused.headers.get("retry-after")).toBe("5");
    expectProblem(await streamed(dan, runs[0]!.thread_id), "too-many-runs");
    await dan.fails("too-many-runs", "runs.continue", { params: { run_id: broken.run_id }, body: {} });
    // Rejected runs leave nothing behind.
    expect((await dan.call("threads.list")).threads).toHaveLength(4);
    const eve = await server().anonymous();
    expect((await sendAndWait(eve, "tokens=2")).reply.end?.state).toBe("completed");

    await stop(dan, runs.slice(0, 1));
    runs.push(await start(dan));
    await stop(dan, runs);
    expect((await streamed(dan, runs[0]!.thread_id)).status).toBe(200);
    expect((await sendAndWait(dan, "tokens=2")).reply.end?.state).toBe("completed");
  });

  test("answers a repeated request as before, even at the limit", async ({ dan }) => {
    const request = {
      params: { thread_id: newId("thread") },
      body: { id: newId("run"), message: { parent_id: null, content: userMessage(long) } },
    };
    const first = await dan.call("runs.start", request);
    const others = [await start(dan), await start(dan)];
    expect(await dan.call("runs.start", request)).toEqual(first);
    await stop(dan, [first, ...others]);
  });

  test("limits the runs of one address, until some end", async () => {
    const [ann, bob, cat] = await usersOfOneAddress(3);
    const anns = [await start(ann!), await start(ann!), await start(ann!)];
    const bobs = [await start(bob!), await start(bob!)];
    expectProblem(await tryToStart(bob!), "too-many-runs");
    expectProblem(await tryToStart(cat!), "too-many-runs");
    expect((await (await server().anonymous()).call("auth.me")).kind).toBe("anonymous");
    await stop(ann!, anns);
    for (const { run_id: runId } of anns) await readWholeLog(ann!, runId);
    await expect.poll(async () => (await tryToStart(cat!)).status).toBe(201);
    await stop(bob!, bobs);
  });

  test("counts a run once for its address if its request is repeated", async () => {
    const [ann, bob, cat] = await usersOfOneAddress(3);
    const request = {
      params: { thread_id: newId("thread") },
      body: {
        id: newId("run"),
        message: { id: newId("message"), parent_id: null, content: userMessage(long) },
      },
    };
    const unnamed = {
      params: { thread_id: newId("thread") },
      body: { message: { id: newId("message"), parent_id: null, content: userMessage(long) } },
    };
    const first = await ann!.call("runs.start", request);
    const second = await ann!.call("runs.start", unnamed);
    const again = async () => {
      expect(await ann!.call("runs.start", request)).toEqual(first);
      expect(await ann!.call("runs.start", unnamed)).toEqual(second);
    };
    await Promise.all(Array.from({ length: 3 }, again));
    for (let round = 0; round < 8; round++) await again();
    const bobs = [await start(bob!), await start(bob!), await start(bob!)];
    expectProblem(await tryToStart(cat!), "too-many-runs");
    // Also at the limit of the address.
    expect(await ann!.call("runs.start", request)).toEqual(first);

    await stop(ann!, [first, second]);
    for (const { run_id: runId } of [first, second]) await readWholeLog(ann!, runId);
    const cats: { run_id: string }[] = [];
    await vi.waitFor(async () => cats.push(await start(cat!)), retryFor);
    await vi.waitFor(async () => cats.push(await start(cat!)), retryFor);
    expectProblem(await tryToStart(cat!), "too-many-runs");
    await stop(bob!, bobs);
    await stop(cat!, cats);
  });

  test("counts a run once if its approval is repeated", async () => {
    const [ann, bob, cat] = await usersOfOneAddress(3);
    const talk = await sendAndGetCall(ann!, 'Dig. tool=dig_tunnel({"to":"Rome"})');
    for (let round = 0; round < 8; round++)
      expect((await answerCall(ann!, talk.run_id, true)).status).toBe(200);
    const bobs = [await start(bob!), await start(bob!), await start(bob!)];
    const cats = [await start(cat!)];
    expectProblem(await tryToStart(cat!), "too-many-runs");
    expect((await answerCall(ann!, talk.run_id, true)).status).toBe(200);
    await stop(ann!, [talk]);
    await vi.waitFor(async () => cats.push(await start(cat!)), retryFor);
    expectProblem(await tryToStart(cat!), "too-many-runs");
    await stop(bob!, bobs);
    await stop(cat!, cats);
  });

  test("frees the slots of a streamed answer when its client disconnects", async ({ dan }) => {
    const { thread_id: threadId } = await sendAndWait(dan, "tokens=2");
    for (let round = 0; round < 8; round++) {
      const connection = new AbortController();
      const response = await fetch(`${dan.url}/v1/runs/stream`, {
        method: "POST",
        headers: { ...dan.headers, "Content-Type": "application/json" },
        body: JSON.stringify({
          thread_id: threadId,
          assistant_id: "default",
          messages: [{ role: "user", content: userMessage(long).content }],
        }),
        signal: connection.signal,
      });
      expect(response.status).toBe(200);
      await response.body!.getReader().read();
      connection.abort();
      await vi.waitFor(async () => {
        const runs = await dan.ask("runs.stream", {
          body: { thread_id: threadId, assistant_id: "default", messages: [{ role: "user", content: [] }] },
        });
        expect(runs.status).toBe(200);
      }, retryFor);
    }
  });

  test("does not limit API keys, which belong to the operator", async ({ ada }) => {
    const runs = await Promise.all(Array.from({ length: 8 }, async () => await start(ada)));
    const streams = await Promise.all(Array.from({ length: 8 }, async () => await ada.live()));
    for (const stream of streams) stream.close();
    await stop(ada, runs);
  });

  test("limits the streams of one visitor and one address, until some close", async () => {
    const [ann, bob] = await usersOfOneAddress(2);
    const open = await Promise.all(Array.from({ length: 4 }, async () => await ann!.live()));
    const refused = await ann!.ask("live.follow");
    expectProblem(refused, "too-many-streams");
    expect(refused.headers.get("retry-after")).toBe("5");
    const bobs = [await bob!.live(), await bob!.live()];
    await bob!.fails("too-many-streams", "live.follow");
    const otherStream = await (await server().anonymous()).live();
    otherStream.close();

    open.shift()!.close();
    await vi.waitFor(async () => open.push(await ann!.live()), retryFor);
    await ann!.fails("too-many-streams", "live.follow");
    for (const stream of [...open, ...bobs]) stream.close();
    await vi.waitFor(async () => (await bob!.live()).close(), retryFor);
  });
});

describeServer("what a guest may write in a minute", {}, (server) => {
  test("is limited by its size, and by the number of requests", async ({ dan }) => {
    const content = { ...userMessage("x".repeat(1024 * 1024)), metadata: { custom: {} } };
    const body = { parent_id: null, format: "aui/v0", content };
    const send = async (who: Visitor) => {
      const created = { last_message_at: new Date().toISOString() };
      const params = await who.call("threads.create", { body: created });
      const statuses = [];
      for (let i = 0; i < 10; i++) statuses.push((await who.ask("messages.add", { params, body })).status);
      return { statuses, next: await who.ask("threads.create", { body: created }) };
    };
    const { statuses, next } = await send(dan);
    expect(statuses).toEqual([...Array<number>(9).fill(201), 429]);
    expectProblem(next, "rate-limited");
    expect(Number(next.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect((await dan.call("threads.list", { query: {} })).threads).toHaveLength(1);
    server().clock.advance(Number(next.headers.get("retry-after")) * 1_000);
    expect((await send(dan)).statuses).toEqual(statuses);
    for (const who of [server().inNewWorkspace(), await server().owner()])
      expect((await send(who)).next.status).toBe(201);
  });
});
