import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AssistantCloud } from "assistant-cloud";
import { apiKey, people, userMessage } from "#fixtures/people.ts";
import { engines } from "../support/postgres/postgres.ts";
import { childForTest, placeForTest, serverForTest } from "../support/test-scope.ts";
import { newestClient } from "./clients.ts";

const { CloudMessagePersistence } = newestClient;

const answer = (text: string, isWhole = false) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  metadata: { custom: {} },
  status: isWhole ? { type: "complete", reason: "stop" } : { type: "incomplete", reason: "cancelled" },
});

/** The newest client, with the same user on every server. */
function cloudOn({ url }: { url: string }): AssistantCloud {
  return new newestClient.AssistantCloud({ baseUrl: url, apiKey, ...people.ada, telemetry: false });
}

async function newQuestion(cloud: AssistantCloud): Promise<{ threadId: string; question: string }> {
  const { thread_id: threadId } = await cloud.threads.create({ last_message_at: new Date() });
  const content = userMessage("What grows in the shade?");
  const body = { parent_id: null, format: "aui/v0", content };
  return { threadId, question: (await cloud.threads.messages.create(threadId, body)).message_id };
}

async function newestIn(cloud: AssistantCloud, threadId: string) {
  return (await cloud.threads.messages.list(threadId)).messages[0]!;
}

describe.for(engines)("a client's lease (%s)", (engine) => {
  test("goes on after its server was killed between two heartbeats and started again", async () => {
    const place = await placeForTest(engine);
    const first = await childForTest(place, undefined);
    let cloud = cloudOn(first);
    const { threadId, question } = await newQuestion(cloud);
    const tab = new CloudMessagePersistence(() => cloud);
    onTestFinished(() => tab.reset());
    tab.record(question, question);
    await tab.append(threadId, "local_1", question, "aui/v0", answer("Ferns"), "running");
    await first.end("SIGKILL");
    await expect(tab.update(threadId, "local_1", "aui/v0", answer("Lost"), "running")).rejects.toThrow();
    expect(tab.hasOpenRun("local_1")).toBe(true);

    const second = await serverForTest({ engine, place });
    cloud = cloudOn(second);
    expect(await newestIn(cloud, threadId)).toMatchObject({
      content: answer("Ferns"),
      run: { status: "running" },
    });
    await tab.update(threadId, "local_1", "aui/v0", answer("Ferns and moss"), "running");
    second.clock.advance(30_000);
    const quiet = await newestIn(cloud, threadId);
    expect(tab.runStateOf(quiet.run)).toEqual({ status: "stale" });
    await tab.update(threadId, "local_1", "aui/v0", answer("Ferns and moss.", true), "done");
    expect(await newestIn(cloud, threadId)).toMatchObject({
      content: answer("Ferns and moss.", true),
      run: { status: "ended" },
    });
  });
});

describe.runIf(engines.includes("postgres"))("a client's lease on three servers of one database", () => {
  test("is opened on one, renewed on another, shown by all, and ended once", async () => {
    const place = await placeForTest("postgres");
    const open = async () => await serverForTest({ engine: "postgres", place });
    const clouds = [await open(), await open(), await open()].map(cloudOn) as [
      AssistantCloud,
      AssistantCloud,
      AssistantCloud,
    ];
    const { threadId, question } = await newQuestion(clouds[0]);
    let turn = 0;
    // Each request goes to the next server.
    const tab = new CloudMessagePersistence(() => clouds[turn++ % 3]!);
    onTestFinished(() => tab.reset());
    tab.record(question, question);
    const shown = async () => await Promise.all(clouds.map(async (cloud) => await newestIn(cloud, threadId)));
    await tab.append(threadId, "local_1", question, "aui/v0", answer("Ferns"), "running");
    for (const text of ["Ferns and", "Ferns and moss", "Ferns and moss, too"]) {
      await tab.update(threadId, "local_1", "aui/v0", answer(text), "running");
      for (const message of await shown())
        expect(message).toMatchObject({ content: answer(text), run: { status: "running" } });
    }
    const { id } = await newestIn(clouds[0], threadId);
    const other = await clouds[1].threads.messages
      .create(threadId, {
        parent_id: question,
        external_id: "local_1",
        open_run: true,
        format: "aui/v0",
        content: answer("Mine"),
      })
      .catch((error: unknown) => error);
    expect(other).toMatchObject({ status: 409, code: "run_in_progress" });
    await tab.update(threadId, "local_1", "aui/v0", answer("Ferns.", true), "done");
    for (const message of await shown())
      expect(message).toMatchObject({ id, content: answer("Ferns.", true), run: { status: "ended" } });
  });

  test("is ended once by ends and writes that reach the servers at the same time", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const place = await placeForTest("postgres");
    const open = async () => await serverForTest({ engine: "postgres", place });
    const clouds = [await open(), await open(), await open()].map(cloudOn);
    const { threadId, question } = await newQuestion(clouds[0]!);
    const created = await clouds[0]!.threads.messages.create(threadId, {
      parent_id: question,
      format: "aui/v0",
      content: answer("Ferns"),
      open_run: true,
    });
    const leaseId = created.run!.lease_id;
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const { threads } = clouds[n % 3]!;
        try {
          if (n % 10 === 5) await threads.runs.end(threadId, leaseId, { reason: "done" });
          else if (n % 2 === 0) await threads.runs.heartbeat(threadId, leaseId);
          else
            await threads.messages.update(threadId, created.message_id, {
              content: answer(`Ferns ${n}`),
              lease_id: leaseId,
            });
          return "ok";
        } catch (error) {
          return (error as { code?: string }).code;
        }
      }),
    );
    // After the end there are no writes and no heartbeats: all fail in the same way.
    expect(new Set(outcomes.filter((outcome) => outcome !== "ok"))).not.toContain(undefined);
    expect(outcomes.filter((outcome) => outcome !== "ok" && outcome !== "run_ended")).toEqual([]);
    expect((await newestIn(clouds[2]!, threadId)).run?.status).toBe("ended");
    warn.mockRestore();
  });
});
