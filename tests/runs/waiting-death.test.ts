import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { startModelServer, type ModelServer } from "#fixtures/model-server/model-server.ts";
import { apiKey, people } from "#fixtures/people.ts";
import { askingTools } from "../support/asking-tools.ts";
import { mainWithTools, startChildServer } from "../support/child-server.ts";
import { engines } from "../support/postgres.ts";
import { expectProblem } from "../support/problem.ts";
import { newPlace, startTestServer, type EngineName, type ServerPlace } from "../support/server.ts";
import { branchOf, decide, sayAndBeAsked, textOf, wholeLog } from "../support/talk.ts";
import { keyHeaders, visitor, type Visitor } from "../support/visitor.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

async function place(engine: EngineName): Promise<ServerPlace> {
  const made = await newPlace(engine);
  undo.push(made.remove);
  return made;
}

async function model(): Promise<ModelServer> {
  const made = await startModelServer();
  undo.push(made.close);
  return made;
}

/** A server in a process of its own, with tools that ask; what they did is written into its folder. */
async function child(where: ServerPlace, provider: ModelServer) {
  const started = await startChildServer(where, provider, { DEEDS_FILE: deedsFile(where) }, mainWithTools);
  undo.push(async () => await started.end("SIGKILL"));
  return started;
}

async function server(where: ServerPlace, engine: EngineName, provider: ModelServer) {
  const settings = { OPENAI_BASE_URL: provider.url, OPENAI_MODEL: "fixture-1" };
  const started = await startTestServer({ engine, place: where, settings, tools: askingTools() });
  undo.push(started.close);
  return started;
}

/** A provider at this address that takes every question and never says a word. */
async function goesSilent(provider: ModelServer): Promise<void> {
  await provider.close();
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(provider.port, "127.0.0.1", resolve));
  expect((silent.address() as AddressInfo).port).toBe(provider.port);
  undo.push(async () => void silent.close());
}

const deedsFile = (where: ServerPlace): string => join(where.dataDir, "deeds.jsonl");

function deeds(where: ServerPlace): string[] {
  try {
    return readFileSync(deedsFile(where), "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

const ada = ({ url }: { url: string }): Visitor => visitor(url, "ada", keyHeaders(apiKey, people.ada));
const letter = 'Write. tool=send_letter({"to":"Ann"})';

describe.for(engines)("a run that waits for a person (%s)", (engine) => {
  test.for(["SIGKILL", "SIGTERM"] as const)(
    "waits on when its server ends by %s, and goes on elsewhere",
    async (signal) => {
      const where = await place(engine);
      const provider = await model();
      const first = await child(where, provider);
      const talk = await sayAndBeAsked(ada(first), letter);
      await first.end(signal);

      const second = await child(where, provider);
      const waiting = await ada(second).call("runs.get", { params: { run_id: talk.run_id } });
      expect(waiting.run).toMatchObject({ state: "requires-action", last_seq: talk.events.length });
      expect((await branchOf(ada(second), talk.thread_id)).at(-1)?.status.type).toBe("requires-action");
      expect((await decide(ada(second), talk.run_id, true)).status).toBe(200);
      const events = await wholeLog(ada(second), talk.run_id);
      expect(events.slice(0, talk.events.length)).toEqual(talk.events);
      expect(textOf(fold(events).parts)).toContain('The tools said: {"sent":"Ann"}.');
      expect(deeds(where)).toEqual(['{"name":"send_letter","args":{"to":"Ann"}}']);
    },
  );

  test("waits for days, and through the sweeps of every process", async () => {
    const where = await place(engine);
    const provider = await model();
    const going = await server(where, engine, provider);
    const talk = await sayAndBeAsked(ada(going), letter);
    for (let day = 1; day <= 5; day++) {
      going.clock.advance(24 * 3_600_000);
      const feed = await ada(going).live();
      await feed.next();
      feed.close();
    }
    const { run } = await ada(going).call("runs.get", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "requires-action", last_seq: talk.events.length });
    expect((await decide(ada(going), talk.run_id, true)).status).toBe(200);
    expect((await wholeLog(ada(going), talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
  });

  test("goes on by itself where its server died after the answer and before the next word", async () => {
    const where = await place(engine);
    const provider = await model();
    const first = await child(where, provider);
    const talk = await sayAndBeAsked(ada(first), letter);
    await goesSilent(provider);
    const answered = await decide(ada(first), talk.run_id, false);
    expect(answered.body.run.state).toBe("running");
    await first.end("SIGKILL");

    const second = await server(where, engine, await model());
    // PostgreSQL cannot know that no other server carries the run, until its lease is over.
    if (engine === "postgres") second.clock.advance(16_000);
    const events = await wholeLog(ada(second), talk.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
    expect(textOf(fold(events).parts)).toContain("did not allow");
  });

  test("is interrupted where its server died while the allowed call was carried out: nothing is done twice", async () => {
    const where = await place(engine);
    const provider = await model();
    const first = await child(where, provider);
    const talk = await sayAndBeAsked(ada(first), "Dig. tool=dig_tunnel({})");
    await decide(ada(first), talk.run_id, true);
    await expect.poll(() => deeds(where)).toHaveLength(1);
    await first.end("SIGKILL");

    const second = await server(where, engine, provider);
    if (engine === "postgres") second.clock.advance(16_000);
    const events = await wholeLog(ada(second), talk.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect(fold(events).parts).toMatchObject([{ toolName: "dig_tunnel", approval: { approved: true } }]);
    expect(deeds(where)).toHaveLength(1);
    expect((await branchOf(ada(second), talk.thread_id)).at(-1)?.status.reason).toBe("interrupted");
  });

  test("that was asked to stop while nobody was there ends at the next sweep", async () => {
    const where = await place(engine);
    const provider = await model();
    const first = await server(where, engine, provider);
    const talk = await sayAndBeAsked(ada(first), letter);
    await ada(first).call("messages.remove", {
      params: { thread_id: talk.thread_id },
      body: { message_ids: [talk.reply_id] },
    });
    await undo.pop()!();
    const second = await server(where, engine, provider);
    expect((await wholeLog(ada(second), talk.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
  });
});

describe.runIf(engines.includes("postgres"))("two servers at one database", () => {
  test("take one answer between them, whoever is asked, and one of them carries the run on", async () => {
    const where = await place("postgres");
    const provider = await model();
    const first = await server(where, "postgres", provider);
    const second = await server(where, "postgres", provider);
    for (let n = 0; n < 5; n++) {
      const talk = await sayAndBeAsked(ada(first), `${letter} round ${n}`);
      const feed = await ada(second).events(talk.run_id);
      const outcomes = await Promise.all(
        [first, second, first, second].map(async (one, index) => ({
          approved: index < 2,
          answer: await decide(ada(one), talk.run_id, index < 2),
        })),
      );
      const won = outcomes.filter(({ answer }) => answer.status === 200);
      expect(won).toHaveLength(2);
      expect(won[0]!.approved).toBe(won[1]!.approved);
      for (const { answer } of outcomes) if (answer.status !== 200) expectProblem(answer, "call-answered");
      const events = (await feed.rest()).map(({ data }) => data);
      expect(events).toEqual(await wholeLog(ada(first), talk.run_id));
      expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "tool-call-result")).toHaveLength(1);
      expect(fold(events).end?.state).toBe("completed");
      const reply = (await branchOf(ada(second), talk.thread_id)).at(-1)!;
      expect(reply.content.content).toEqual(fold(events).parts);
    }
  });

  test("take two answers to two calls at once, and the run goes on once", async () => {
    const where = await place("postgres");
    const provider = await model();
    const first = await server(where, "postgres", provider);
    const second = await server(where, "postgres", provider);
    for (let n = 0; n < 5; n++) {
      const both = `Both ${n}. tool=send_letter({"to":"A"}) tool=send_letter({"to":"B"})`;
      const talk = await sayAndBeAsked(ada(first), both);
      const answers = await Promise.all([
        decide(ada(first), talk.run_id, true, { tool_call_id: "call_0_0" }),
        decide(ada(second), talk.run_id, true, { tool_call_id: "call_0_1" }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const events = await wholeLog(ada(second), talk.run_id);
      expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
      expect(fold(events).parts).toMatchObject([{ result: { sent: "A" } }, { result: { sent: "B" } }, {}]);
    }
  });

  test("let one stop what the other began to wait for", async () => {
    const where = await place("postgres");
    const provider = await model();
    const first = await server(where, "postgres", provider);
    const second = await server(where, "postgres", provider);
    const talk = await sayAndBeAsked(ada(first), letter);
    const { run } = await ada(second).call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("cancelled");
    expect((await wholeLog(ada(first), talk.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
  });
});
