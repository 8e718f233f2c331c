import { expect, test, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { said } from "#fixtures/people.ts";
import { askingTools } from "./support/asking-tools.ts";
import { expectProblem } from "./support/problem.ts";
import { describeServer } from "./support/server.ts";
import { decide, say, sayAndBeAsked, sayAndHear, wholeLog } from "./support/talk.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "./support/visitor.ts";

const long = "A long one. tokens=2000 gap=20";
const patience = { timeout: 10_000, interval: 20 };
const settings = {
  RUNS_PER_VISITOR: "3",
  RUNS_PER_ADDRESS: "5",
  STREAMS_PER_VISITOR: "4",
  STREAMS_PER_ADDRESS: "6",
};

describeServer("what is under way at once", { model: true, settings, tools: askingTools() }, (server) => {
  const begin = async (who: Visitor) => await say(who, long);
  const tryToBegin = async (who: Visitor) =>
    await who.ask("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: said(long) } },
    });
  const stop = async (who: Visitor, runs: { run_id: string }[]) => {
    for (const { run_id: runId } of runs) await who.call("runs.stop", { params: { run_id: runId } });
  };
  const streamed = async (who: Visitor, threadId: string) =>
    await who.ask("runs.stream", {
      body: {
        thread_id: threadId,
        assistant_id: "default",
        messages: [{ role: "user", content: said("hi").content }],
      },
    });
  /** Several people at one address. */
  const neighbours = async (count: number): Promise<Visitor[]> => {
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

  test("is bounded for one visitor, whatever kind of answer it is, and no one else feels it", async () => {
    const dan = await server().anonymous();
    const broken = await sayAndHear(dan, "Breaks off. tokens=5 die=2");
    const runs = [await begin(dan), await begin(dan), await begin(dan)];
    const refused = await tryToBegin(dan);
    expectProblem(refused, "too-many-runs");
    expect(refused.headers.get("retry-after")).toBe("5");
    expectProblem(await streamed(dan, runs[0]!.thread_id), "too-many-runs");
    expectProblem(
      await dan.ask("runs.continue", { params: { run_id: broken.run_id }, body: {} }),
      "too-many-runs",
    );
    // Nothing of what was refused is there.
    expect((await dan.call("threads.list")).threads).toHaveLength(4);
    const eve = await server().anonymous();
    expect((await sayAndHear(eve, "tokens=2")).reply.end?.state).toBe("completed");

    await stop(dan, runs.slice(0, 1));
    runs.push(await begin(dan));
    await stop(dan, runs);
    expect((await streamed(dan, runs[0]!.thread_id)).status).toBe(200);
    expect((await sayAndHear(dan, "tokens=2")).reply.end?.state).toBe("completed");
  });

  test("the same request again is answered as the first time, also by one who has as many as there may be", async () => {
    const dan = await server().anonymous();
    const request = {
      params: { thread_id: newId("thread") },
      body: { id: newId("run"), message: { parent_id: null, content: said(long) } },
    };
    const first = await dan.call("runs.start", request);
    const others = [await begin(dan), await begin(dan)];
    expect(await dan.call("runs.start", request)).toEqual(first);
    await stop(dan, [first, ...others]);
  });

  test("is bounded for one address, and given back when answers end", async () => {
    const [ann, bob, cat] = await neighbours(3);
    const anns = [await begin(ann!), await begin(ann!), await begin(ann!)];
    const bobs = [await begin(bob!), await begin(bob!)];
    expectProblem(await tryToBegin(bob!), "too-many-runs");
    expectProblem(await tryToBegin(cat!), "too-many-runs");
    expect((await (await server().anonymous()).call("auth.me")).kind).toBe("anonymous");
    await stop(ann!, anns);
    for (const { run_id: runId } of anns) await wholeLog(ann!, runId);
    await vi.waitFor(async () => expect((await tryToBegin(cat!)).status).toBe(201), patience);
    await stop(bob!, bobs);
  });

  test("a run is counted once for its address, however often it is asked for", async () => {
    const [ann, bob, cat] = await neighbours(3);
    const request = {
      params: { thread_id: newId("thread") },
      body: { id: newId("run"), message: { id: newId("message"), parent_id: null, content: said(long) } },
    };
    const unnamed = {
      params: { thread_id: newId("thread") },
      body: { message: { id: newId("message"), parent_id: null, content: said(long) } },
    };
    const first = await ann!.call("runs.start", request);
    const second = await ann!.call("runs.start", unnamed);
    const again = async () => {
      expect(await ann!.call("runs.start", request)).toEqual(first);
      expect(await ann!.call("runs.start", unnamed)).toEqual(second);
    };
    await Promise.all(Array.from({ length: 3 }, again));
    for (let round = 0; round < 8; round++) await again();
    const bobs = [await begin(bob!), await begin(bob!), await begin(bob!)];
    expectProblem(await tryToBegin(cat!), "too-many-runs");
    // Also where the address has as many as there may be.
    expect(await ann!.call("runs.start", request)).toEqual(first);

    await stop(ann!, [first, second]);
    for (const { run_id: runId } of [first, second]) await wholeLog(ann!, runId);
    const cats: { run_id: string }[] = [];
    await vi.waitFor(async () => cats.push(await begin(cat!)), patience);
    await vi.waitFor(async () => cats.push(await begin(cat!)), patience);
    expectProblem(await tryToBegin(cat!), "too-many-runs");
    await stop(bob!, bobs);
    await stop(cat!, cats);
  });

  test("a run that was allowed to go on is counted once, however often it was allowed", async () => {
    const [ann, bob, cat] = await neighbours(3);
    const talk = await sayAndBeAsked(ann!, 'Dig. tool=dig_tunnel({"to":"Rome"})');
    for (let round = 0; round < 8; round++) expect((await decide(ann!, talk.run_id, true)).status).toBe(200);
    const bobs = [await begin(bob!), await begin(bob!), await begin(bob!)];
    const cats = [await begin(cat!)];
    expectProblem(await tryToBegin(cat!), "too-many-runs");
    expect((await decide(ann!, talk.run_id, true)).status).toBe(200);
    await stop(ann!, [talk]);
    await vi.waitFor(async () => cats.push(await begin(cat!)), patience);
    expectProblem(await tryToBegin(cat!), "too-many-runs");
    await stop(bob!, bobs);
    await stop(cat!, cats);
  });

  test("a streamed answer gives its places back when its reader goes", async () => {
    const dan = await server().anonymous();
    const { thread_id: threadId } = await sayAndHear(dan, "tokens=2");
    for (let round = 0; round < 8; round++) {
      const gone = new AbortController();
      const response = await fetch(`${dan.url}/v1/runs/stream`, {
        method: "POST",
        headers: { ...dan.headers, "Content-Type": "application/json" },
        body: JSON.stringify({
          thread_id: threadId,
          assistant_id: "default",
          messages: [{ role: "user", content: said(long).content }],
        }),
        signal: gone.signal,
      });
      expect(response.status).toBe(200);
      await response.body!.getReader().read();
      gone.abort();
      await vi.waitFor(async () => {
        const runs = await dan.ask("runs.stream", {
          body: { thread_id: threadId, assistant_id: "default", messages: [{ role: "user", content: [] }] },
        });
        expect(runs.status).toBe(200);
      }, patience);
    }
  });

  test("is not bounded for an API key, which is the operator's own", async () => {
    const ada = server().inNewWorkspace();
    const runs = await Promise.all(Array.from({ length: 8 }, async () => await begin(ada)));
    const streams = await Promise.all(Array.from({ length: 8 }, async () => await ada.live()));
    for (const stream of streams) stream.close();
    await stop(ada, runs);
  });

  test("streams are bounded for one visitor and one address, and closing one makes room", async () => {
    const [ann, bob] = await neighbours(2);
    const open = await Promise.all(Array.from({ length: 4 }, async () => await ann!.live()));
    const refused = await ann!.ask("live.follow");
    expectProblem(refused, "too-many-streams");
    expect(refused.headers.get("retry-after")).toBe("5");
    const bobs = [await bob!.live(), await bob!.live()];
    expectProblem(await bob!.ask("live.follow"), "too-many-streams");
    const elsewhere = await (await server().anonymous()).live();
    elsewhere.close();

    open.shift()!.close();
    await vi.waitFor(async () => open.push(await ann!.live()), patience);
    expectProblem(await ann!.ask("live.follow"), "too-many-streams");
    for (const stream of [...open, ...bobs]) stream.close();
    await vi.waitFor(async () => (await bob!.live()).close(), patience);
  });
});
