import { afterEach, describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { apiKey, people, said } from "#fixtures/people.ts";
import { openDatabase } from "#storage/database/open.ts";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { startChildServer, type ChildServer } from "../support/child-server.ts";
import type { Frame } from "../support/event-stream.ts";
import { engines } from "../support/postgres.ts";
import {
  newPlace,
  startTestServer,
  type EngineName,
  type ServerPlace,
  type TestServer,
} from "../support/server.ts";
import { branchOf, eventsOf, say, sayAndHear, textOf, untilSpoken } from "../support/talk.ts";
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

async function model() {
  const made = await startModelServer();
  undo.push(made.close);
  return made;
}

async function child(...from: Parameters<typeof startChildServer>): Promise<ChildServer> {
  const started = await startChildServer(...from);
  undo.push(async () => await started.end("SIGKILL"));
  return started;
}

async function server(...[options]: Parameters<typeof startTestServer>): Promise<TestServer> {
  const started = await startTestServer(options);
  undo.push(started.close);
  return started;
}

const ada = ({ url }: { url: string }): Visitor => visitor(url, "ada", keyHeaders(apiKey, people.ada));

/** Reads on until the connection breaks, and answers all that was seen. */
async function untilCut(
  stream: AsyncIterable<Frame<RunEvent>>,
  seen: Frame<RunEvent>[],
): Promise<Frame<RunEvent>[]> {
  try {
    for await (const frame of stream) seen.push(frame);
  } catch {
    return seen;
  }
  return seen;
}

describe.for(engines)("a server in mid-answer (%s)", (engine) => {
  test("that is killed has lost nothing that anyone saw, and says at its return that the answer was interrupted", async () => {
    const where = await place(engine);
    const provider = await model();
    const first = await child(where, provider);
    const before = await sayAndHear(ada(first), "Before tokens=5");
    const talk = await say(ada(first), "Long\nendless gap=3", {
      thread_id: before.thread_id,
      parent_id: before.reply_id,
    });
    const { stream, seen } = await untilSpoken(ada(first), talk.run_id);
    seen.push(...(await stream.until(({ id }) => id! > 8)));
    const cut = untilCut(stream, seen);
    const ended = await first.end("SIGKILL");
    expect(ended.signal).toBe("SIGKILL");
    await cut;

    const second = await server({ engine, place: where });
    // PostgreSQL cannot know that no other server carries the run, until its lease is over.
    if (engine === "postgres") second.clock.advance(16_000);
    const events = eventsOf(await (await ada(second).events(talk.run_id)).rest());
    expect(events.slice(0, seen.length)).toEqual(seen.map(({ data }) => data));
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    const branch = await branchOf(ada(second), talk.thread_id);
    expect(branch.map(({ id }) => id)).toEqual([
      before.message_id,
      before.reply_id,
      talk.message_id,
      talk.reply_id,
    ]);
    const reply = branch.at(-1)!;
    expect(reply.status).toEqual({ type: "incomplete", reason: "interrupted", error_code: null });
    expect(reply.content).toMatchObject({
      content: fold(events).parts,
      status: { type: "incomplete", reason: "other" },
    });
    expect(textOf(fold(events).parts)).not.toBe("");
    const { run } = await ada(second).call("runs.get", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "interrupted", last_seq: events.length });
    expect(run.ended_at).not.toBeNull();
    const { thread } = await ada(second).call("threads.get", { params: { thread_id: talk.thread_id } });
    expect(thread.active_run_id).toBeNull();
    // And the conversation goes on.
    const again = await ada(second).ask("runs.start", {
      params: { thread_id: talk.thread_id },
      body: { parent_id: talk.message_id },
    });
    expect(again.status).toBe(201);
  });

  test("that is asked to end does so within seconds, streams open, and tells their readers how", async () => {
    const where = await place(engine);
    const provider = await model();
    const first = await child(where, provider);
    const talk = await say(ada(first), "Long\nendless gap=3");
    const { stream, seen } = await untilSpoken(ada(first), talk.run_id);
    const feed = await ada(first).live();
    await feed.next();
    const told = feed.until(({ data }) => data.type === "change" && data.change.type === "run-put");
    const askedAt = performance.now();
    const ending = first.end("SIGTERM");
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect((await told).at(-1)?.data).toMatchObject({ change: { state: "interrupted" } });
    const ended = await ending;
    expect(ended, ended.stderr).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - askedAt).toBeLessThan(8_000);
    expect(ended.stderr).not.toMatch(/"level":50/);

    const second = await server({ engine, place: where });
    expect(eventsOf(await (await ada(second).events(talk.run_id)).rest())).toEqual(events);
    const reply = (await branchOf(ada(second), talk.thread_id)).at(-1)!;
    expect(reply).toMatchObject({
      status: { type: "incomplete", reason: "interrupted" },
      content: { content: fold(events).parts },
    });
    expect(provider.requests.at(-1)?.ended).toBe("gone");
  });

  test("that is asked to end cuts a protocol client's stream, so that nobody takes the part for the whole", async () => {
    const going = await startTestServer({ engine, model: true });
    const { url, headers } = going.inNewWorkspace();
    const streams: Promise<string>[] = [];
    for (const Accept of ["text/plain", "text/event-stream"]) {
      const body = {
        thread_id: "unstable_todo",
        assistant_id: "default",
        messages: [said("Long\nendless gap=3")],
      };
      const response = await fetch(`${url}/v1/runs/stream`, {
        method: "POST",
        headers: { ...headers, Accept, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const reader = response.body!.getReader();
      await reader.read();
      const read = async (): Promise<void> => {
        while (!(await reader.read()).done);
      };
      streams.push(
        read().then(
          () => "as if it were whole",
          () => "cut",
        ),
      );
    }
    await going.close();
    expect(await Promise.all(streams)).toEqual(["cut", "cut"]);
  });

  test("that is killed before its first word has its question asked again by itself", async () => {
    const where = await place(engine);
    const first = await child(where, await model());
    const talk = await say(ada(first), "Nothing yet wait=60000");
    await first.end("SIGKILL");
    const second = await server({ engine, place: where, settings: { OPENAI_BASE_URL: (await model()).url } });
    if (engine === "postgres") second.clock.advance(16_000);
    const { run } = await ada(second).call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "cancelled", message_id: talk.message_id, reply_id: talk.reply_id });
    const events = eventsOf(await (await ada(second).events(talk.run_id)).rest());
    expect(events).toMatchObject([
      { type: "run-start", reply_id: talk.reply_id, content: [] },
      { type: "run-end", state: "cancelled" },
    ]);
  });

  test("that finds the log of one answer damaged at its return starts all the same, and looks after the others", async () => {
    const where = await place(engine);
    const first = await child(where, await model());
    const talks = [
      await say(ada(first), "One\nendless gap=3"),
      await say(ada(first), "Two\nendless gap=3"),
    ] as const;
    for (const { run_id } of talks) (await untilSpoken(ada(first), run_id)).stream.close();
    await first.end("SIGKILL");
    const db = await openDatabase(where);
    await db.write(
      async (tx) =>
        await tx.q
          .updateTable("log_entries")
          .set({ body: "{ damaged" })
          .where("topic", "=", `run:${talks[0].run_id}`)
          .where("seq", "=", 2)
          .execute(),
    );
    await db.close();
    const second = await server({ engine, place: where });
    if (engine === "postgres") second.clock.advance(16_000);
    const events = eventsOf(await (await ada(second).events(talks[1].run_id)).rest());
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect(second.log.takeErrors()).toContainEqual(expect.stringContaining("could not end an abandoned run"));
    expect((await ada(second).ask("threads.list")).status).toBe(200);
  });

  test("keeps its secret, so that everyone is still signed in after it was killed", async () => {
    const where = await place(engine);
    const settings = { PARLANCE_SECRET: "" };
    const first = await child(where, undefined, settings);
    const response = await fetch(`${first.url}/v1/auth/tokens/anonymous`, { method: "POST" });
    const { access_token } = (await response.json()) as { access_token: string };
    await first.end("SIGKILL");
    const second = await child(where, undefined, settings);
    const me = await fetch(`${second.url}/v1/auth/me`, {
      headers: { Authorization: `Bearer ${access_token}` },
    });
    expect(me.status).toBe(200);
    expect(second.ownerLink.split("#")[1]).toBe(first.ownerLink.split("#")[1]);
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  test("show an answer of the one on the other, live, and stop it from there", async () => {
    const where = await place("postgres");
    const provider = await model();
    const settings = { OPENAI_BASE_URL: provider.url, OPENAI_MODEL: "fixture-1" };
    const one = await server({ engine: "postgres", place: where, settings });
    const two = await server({ engine: "postgres", place: where, settings });
    const feed = await ada(two).live({ after: 0 });
    const talk = await say(ada(one), "Long\nendless gap=5");
    const onOne = await untilSpoken(ada(one), talk.run_id);
    const onTwo = await untilSpoken(ada(two), talk.run_id);
    const { run } = await ada(two).call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("cancelled");
    const events = eventsOf([...onTwo.seen, ...(await onTwo.stream.rest())]);
    expect(eventsOf([...onOne.seen, ...(await onOne.stream.rest())])).toEqual(events);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
    expect((await branchOf(ada(two), talk.thread_id)).at(-1)?.content.content).toEqual(fold(events).parts);
    await feed.until(
      ({ data }) =>
        data.type === "change" && data.change.type === "run-put" && data.change.state === "cancelled",
    );
    feed.close();
  });

  test("answer one request once, whichever of them it is sent to, and even to both at once", async () => {
    const where = await place("postgres");
    const provider = await model();
    const settings = { OPENAI_BASE_URL: provider.url, OPENAI_MODEL: "fixture-1" };
    const servers = [
      await server({ engine: "postgres", place: where, settings }),
      await server({ engine: "postgres", place: where, settings }),
    ];
    const params = { thread_id: newId("thread") };
    const body = {
      id: newId("run"),
      reply_id: newId("message"),
      message: { id: newId("message"), parent_id: null, content: said("tokens=3") },
    };
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, index) => await ada(servers[index % 2]!).call("runs.start", { params, body }),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await (await ada(servers[0]!).events(body.id)).rest();
    expect((await ada(servers[1]!).call("messages.list", { params })).messages).toHaveLength(2);
  });

  test("look after each other: what the one was saying when it was killed, the other marks as interrupted once its lease is over", async () => {
    const where = await place("postgres");
    const provider = await model();
    const other = await server({ engine: "postgres", place: where });
    const first = await child(where, provider);
    const talk = await say(ada(first), "Long\nendless gap=3");
    const { stream, seen } = await untilSpoken(ada(other), talk.run_id);
    seen.push(...(await stream.until(({ id }) => id! > 8)));
    await first.end("SIGKILL");
    // Its lease stands: nobody may end it yet.
    other.clock.advance(5_001);
    expect((await ada(other).call("runs.get", { params: { run_id: talk.run_id } })).run.state).toBe(
      "running",
    );
    let isOver = false;
    const rest = stream.rest().finally(() => (isOver = true));
    while (!isOver) {
      other.clock.advance(5_001);
      await ada(other).call("runs.get", { params: { run_id: talk.run_id } });
    }
    seen.push(...(await rest));
    const events = eventsOf(seen);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect((await branchOf(ada(other), talk.thread_id)).at(-1)).toMatchObject({
      status: { reason: "interrupted" },
      content: { content: fold(events).parts },
    });
  });

  test("let a person stop an answer whose server is dead: it ends as stopped once its lease has stood still", async () => {
    const where = await place("postgres");
    const other = await server({ engine: "postgres", place: where });
    const first = await child(where, await model());
    const talk = await say(ada(first), "Long\nendless gap=3");
    const { stream, seen } = await untilSpoken(ada(other), talk.run_id);
    await first.end("SIGKILL");
    await ada(other).call("runs.stop", { params: { run_id: talk.run_id } });
    let isOver = false;
    const rest = stream.rest().finally(() => (isOver = true));
    while (!isOver) {
      other.clock.advance(5_001);
      await ada(other).call("runs.get", { params: { run_id: talk.run_id } });
    }
    const events = eventsOf([...seen, ...(await rest)]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
    expect((await branchOf(ada(other), talk.thread_id)).at(-1)?.content.content).toEqual(fold(events).parts);
  });
});
