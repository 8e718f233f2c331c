import { appendFileSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fold } from "#contract/fold.ts";
import type { ToolDefinition } from "#server/tools/tool.ts";
import { openDatabase } from "#storage/database/open.ts";
import type { NewRow } from "#storage/database/tables.ts";
import { append } from "#storage/log/log.ts";
import { runTopic } from "#server/runs/log/topics.ts";
import type { ModelServer } from "#fixtures/model-server/model-server.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { mainWithTools } from "../support/servers/child-server.ts";
import { killServer } from "../support/servers/kill-server.ts";
import { engines } from "../support/postgres/postgres.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { EngineName, ServerPlace } from "../support/servers/server.ts";
import {
  branchOf,
  answerCall,
  sendAndGetCall,
  textOf,
  readWholeLog,
  type StartedRun,
} from "../support/clients/conversation.ts";
import { adaOn, childForTest, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";

/** A server process with tools that ask. It writes the executed calls to a file. */
async function child(where: ServerPlace, provider: ModelServer) {
  return await childForTest(where, provider, { CALLS_FILE: callsFile(where) }, mainWithTools);
}

async function server(
  where: ServerPlace,
  engine: EngineName,
  provider: ModelServer,
  change: Partial<ToolDefinition> = {},
) {
  const settings = { OPENAI_BASE_URL: provider.url, OPENAI_MODEL: "fixture-1" };
  const tools = approvalTools((name, args) =>
    appendFileSync(callsFile(where), `${JSON.stringify({ name, args })}\n`),
  ).map((tool) => ({ ...tool, ...change }) as ToolDefinition);
  return await serverForTest({ engine, place: where, settings, tools });
}

/** Replaces the provider by one that accepts requests and never responds. */
async function stopResponding(provider: ModelServer): Promise<void> {
  await provider.close();
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(provider.port, "127.0.0.1", resolve));
  expect((silent.address() as AddressInfo).port).toBe(provider.port);
  onTestFinished(async () => void silent.close());
}

const callsFile = (where: ServerPlace): string => join(where.dataDir, "calls.jsonl");

function executedCalls(where: ServerPlace): string[] {
  try {
    return readFileSync(callsFile(where), "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

function sentCall({ run_id, thread_id }: StartedRun): NewRow<"tool_calls"> {
  const tool = { tool_name: "send_letter", source: "built-in", schema_hash: "" };
  const sent = { sent_to: null, allowed_by: "person", allowed_at: 1, sent_at: 1, sent_bytes: 2 } as const;
  const end = { result_from: null, received_bytes: null, ended_at: null, outcome: null };
  return { run_id, tool_call_id: "call_0_0", thread_id, ...tool, ...sent, ...end };
}

const letter = 'Write. tool=send_letter({"to":"Ann"})';

describe.for(engines)("a run that waits for a person (%s)", (engine) => {
  test.for(["SIGKILL", "SIGTERM"] as const)(
    "still waits after its server ends by %s, and resumes on another server",
    async (signal) => {
      const where = await placeForTest(engine);
      const provider = await modelForTest();
      const first = await child(where, provider);
      const talk = await sendAndGetCall(adaOn(first), letter);
      await first.end(signal);

      const second = await server(where, engine, provider);
      const waiting = await adaOn(second).call("runs.get", { params: { run_id: talk.run_id } });
      expect(waiting.run).toMatchObject({ state: "requires-action", last_seq: talk.events.length });
      expect((await branchOf(adaOn(second), talk.thread_id)).at(-1)?.status.type).toBe("requires-action");
      expect((await answerCall(adaOn(second), talk.run_id, true)).status).toBe(200);
      const events = await readWholeLog(adaOn(second), talk.run_id);
      expect(events.slice(0, talk.events.length)).toEqual(talk.events);
      expect(textOf(fold(events).parts)).toContain('The tools said: {"sent":"Ann"}.');
      expect(executedCalls(where)).toEqual(['{"name":"send_letter","args":{"to":"Ann"}}']);
    },
  );

  test("is asked again about a tool that changed before it was allowed", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await server(where, engine, provider);
    const talk = await sendAndGetCall(adaOn(first), letter);
    await first.close();

    const second = await server(where, engine, provider, { sendsTo: "post.example" });
    expect((await answerCall(adaOn(second), talk.run_id, true)).status).toBe(200);
    const feed = await adaOn(second).events(talk.run_id);
    const seen = await feed.until(({ data, id }) => data.type === "run-wait" && id! > talk.events.length);
    expect(seen.at(-2)?.data).toMatchObject({ type: "tool-call-ask", tool: { sendsTo: "post.example" } });
    expect(executedCalls(where)).toEqual([]);
    expect((await answerCall(adaOn(second), talk.run_id, true)).status).toBe(200);
    expect((await readWholeLog(adaOn(second), talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
    expect(executedCalls(where)).toHaveLength(1);
  });

  test("waits for days, in spite of the sweeps of every process", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const running = await server(where, engine, provider);
    const talk = await sendAndGetCall(adaOn(running), letter);
    for (let day = 1; day <= 5; day++) {
      running.clock.advance(24 * 3_600_000);
      const feed = await adaOn(running).live();
      await feed.next();
      feed.close();
    }
    const { run } = await adaOn(running).call("runs.get", { params: { run_id: talk.run_id } });
    expect(run).toMatchObject({ state: "requires-action", last_seq: talk.events.length });
    expect((await answerCall(adaOn(running), talk.run_id, true)).status).toBe(200);
    expect((await readWholeLog(adaOn(running), talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
  });

  test("is resumed if its server died after the decision and before any output", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await child(where, provider);
    const talk = await sendAndGetCall(adaOn(first), letter);
    await stopResponding(provider);
    const answered = await answerCall(adaOn(first), talk.run_id, false);
    expect(answered.body.run.state).toBe("running");
    await killServer(first, where);

    const second = await server(where, engine, await modelForTest());
    const events = await readWholeLog(adaOn(second), talk.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "completed" });
    expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
    expect(textOf(fold(events).parts)).toContain("did not allow");
  });

  test("is interrupted if its server died during an approved call, which is not executed twice", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await child(where, provider);
    const talk = await sendAndGetCall(adaOn(first), "Dig. tool=dig_tunnel({})");
    await answerCall(adaOn(first), talk.run_id, true);
    await expect.poll(() => executedCalls(where)).toHaveLength(1);
    await killServer(first, where);

    const second = await server(where, engine, provider);
    const events = await readWholeLog(adaOn(second), talk.run_id);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "interrupted" });
    expect(fold(events).parts).toMatchObject([{ toolName: "dig_tunnel", approval: { approved: true } }]);
    expect(executedCalls(where)).toHaveLength(1);
    expect((await branchOf(adaOn(second), talk.thread_id)).at(-1)?.status.reason).toBe("interrupted");
  });

  test.for(["before", "after"] as const)(
    "carries an approved call out once if its server died %s it was sent",
    async (when) => {
      const where = await placeForTest(engine);
      const provider = await modelForTest();
      const first = await server(where, engine, provider);
      const talk = await sendAndGetCall(adaOn(first), letter);
      await first.close();
      // What the database has when a process dies between storing the decision and sending the call, or right after that.
      const db = await openDatabase(where);
      await db.write(async (tx) => {
        const decision = { type: "tool-call-decision", part: 0, approved: true, at: 1 };
        const bodies = [decision, { type: "run-resume", at: first.clock.now() }].map((body) =>
          JSON.stringify(body),
        );
        await append(tx, [{ topic: runTopic(talk.run_id), bodies }]);
        const lease = { state: "running", lease_owner: db.processName, lease_expires_at: 1 } as const;
        await tx.q.updateTable("runs").set(lease).where("id", "=", talk.run_id).execute();
        if (when === "after") await tx.q.insertInto("tool_calls").values(sentCall(talk)).execute();
      });
      await db.close();

      const second = await server(where, engine, provider);
      const events = await readWholeLog(adaOn(second), talk.run_id);
      const isSent = when === "after";
      expect(events.at(-1)).toMatchObject({ state: isSent ? "interrupted" : "completed" });
      expect(executedCalls(where)).toHaveLength(isSent ? 0 : 1);
      const { body } = await adaOn(second).ask("runs.receipt", { params: { run_id: talk.run_id } });
      expect(body.receipt.calls).toMatchObject([
        { allowed_by: "person", outcome: isSent ? null : "completed" },
      ]);
      if (!isSent) return;
      // Nobody knows what the call did. To go on, the model asks again.
      const further = await adaOn(second).call("runs.continue", {
        params: { run_id: talk.run_id },
        body: {},
      });
      const feed = await adaOn(second).events(further.run_id);
      await feed.until(({ data }) => data.type === "run-wait");
      feed.close();
      expect(executedCalls(where)).toHaveLength(0);
    },
  );

  test("ends at the next sweep if it was asked to stop while no server ran", async () => {
    const where = await placeForTest(engine);
    const provider = await modelForTest();
    const first = await server(where, engine, provider);
    const talk = await sendAndGetCall(adaOn(first), letter);
    await adaOn(first).call("messages.remove", {
      params: { thread_id: talk.thread_id },
      body: { message_ids: [talk.reply_id] },
    });
    await first.close();
    const second = await server(where, engine, provider);
    expect((await readWholeLog(adaOn(second), talk.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one database", () => {
  test("accept one decision together, and one of them resumes the run", async () => {
    const where = await placeForTest("postgres");
    const provider = await modelForTest();
    const first = await server(where, "postgres", provider);
    const second = await server(where, "postgres", provider);
    for (let n = 0; n < 5; n++) {
      const talk = await sendAndGetCall(adaOn(first), `${letter} round ${n}`);
      const feed = await adaOn(second).events(talk.run_id);
      const outcomes = await Promise.all(
        [first, second, first, second].map(async (target, index) => ({
          approved: index < 2,
          answer: await answerCall(adaOn(target), talk.run_id, index < 2),
        })),
      );
      const accepted = outcomes.filter(({ answer }) => answer.status === 200);
      expect(accepted).toHaveLength(2);
      expect(accepted[0]!.approved).toBe(accepted[1]!.approved);
      for (const { answer } of outcomes) if (answer.status !== 200) expectProblem(answer, "call-answered");
      const events = (await feed.rest()).map(({ data }) => data);
      expect(events).toEqual(await readWholeLog(adaOn(first), talk.run_id));
      expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "tool-call-result")).toHaveLength(1);
      expect(fold(events).end?.state).toBe("completed");
      const reply = (await branchOf(adaOn(second), talk.thread_id)).at(-1)!;
      expect(reply.content.content).toEqual(fold(events).parts);
    }
  });

  test("accept two decisions on two calls at the same time, and the run resumes once", async () => {
    const where = await placeForTest("postgres");
    const provider = await modelForTest();
    const first = await server(where, "postgres", provider);
    const second = await server(where, "postgres", provider);
    for (let n = 0; n < 5; n++) {
      const both = `Both ${n}. tool=send_letter({"to":"A"}) tool=send_letter({"to":"B"})`;
      const talk = await sendAndGetCall(adaOn(first), both);
      const answers = await Promise.all([
        answerCall(adaOn(first), talk.run_id, true, { tool_call_id: "call_0_0" }),
        answerCall(adaOn(second), talk.run_id, true, { tool_call_id: "call_0_1" }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const events = await readWholeLog(adaOn(second), talk.run_id);
      expect(events.filter(({ type }) => type === "run-resume")).toHaveLength(1);
      expect(fold(events).parts).toMatchObject([{ result: { sent: "A" } }, { result: { sent: "B" } }, {}]);
    }
  });

  test("stop a waiting run of the other server", async () => {
    const where = await placeForTest("postgres");
    const provider = await modelForTest();
    const first = await server(where, "postgres", provider);
    const second = await server(where, "postgres", provider);
    const talk = await sendAndGetCall(adaOn(first), letter);
    const { run } = await adaOn(second).call("runs.stop", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("cancelled");
    expect((await readWholeLog(adaOn(first), talk.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
  });
});
