import { expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { errors } from "#contract/errors.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** A question as an AI SDK client sends it. */
const question = (thread_id: string, text: string): BodyInputOf<"runs.stream"> => ({
  thread_id,
  assistant_id: "default",
  messages: [{ role: "user", parts: [{ type: "text", text }] }],
  resumable: true,
});

async function newThread(who: Visitor): Promise<string> {
  return (await who.call("threads.create", { body: { last_message_at: new Date().toISOString() } }))
    .thread_id;
}

async function start(who: Visitor, threadId: string, text: string, signal?: AbortSignal) {
  const response = await fetch(`${who.url}/v1/runs/stream`, {
    method: "POST",
    headers: {
      ...who.headers,
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      Origin: "http://localhost:5173",
    },
    body: JSON.stringify(question(threadId, text)),
    signal: signal ?? null,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-expose-headers")).toContain("x-resumable-stream-id");
  return { response, runId: response.headers.get("x-resumable-stream-id") ?? "" };
}

const wordsIn = (stream: string) =>
  [...stream.matchAll(/"type":"text-delta",.*?"delta":"([^"]*)"/g)].map(([, delta]) => delta).join("");

describeServer("a resumable answer", { model: true }, (server) => {
  test("continues without its client, and is read again from its beginning by its workspace only", async () => {
    const { ada, ben } = server().colleagues();
    const threadId = await newThread(ada);
    const leave = new AbortController();
    const { response, runId } = await start(
      ada,
      threadId,
      `${crypto.randomUUID()} think=2 tokens=20 gap=10`,
      leave.signal,
    );
    await response.body?.getReader().read();
    leave.abort();

    const again = await ben.ask("runs.resume", { params: { run_id: runId } });
    expect(again.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(wordsIn(again.text).split(" ")).toHaveLength(20);
    expect(again.text).toMatch(/"type":"finish","finishReason":"stop"[^\n]*\n\ndata: \[DONE\]\n\n$/);
    expect((await ada.ask("runs.resume", { params: { run_id: runId } })).text).toBe(again.text);

    const stranger = server().inNewWorkspace();
    await stranger.fails("run-not-found", "runs.resume", { params: { run_id: runId } });
    expect((await server().guest.ask("runs.resume", { params: { run_id: runId } })).status).toBe(401);
    // The client stores the messages.
    expect((await ada.call("messages.list", { params: { thread_id: threadId } })).messages).toEqual([]);
  });

  test("has all of its words on the first connection, and its usage in the run", async ({ ada }) => {
    const { response, runId } = await start(ada, await newThread(ada), "tokens=12");
    expect(wordsIn(await response.text()).split(" ")).toHaveLength(12);
    const { run } = await ada.call("runs.get", { params: { run_id: runId } });
    expect(run).toMatchObject({ state: "completed", finish_reason: "stop", reply_id: null });
    expect(run.usage.output).toBe(12);
  });

  test("stops when it is asked to", async ({ ada }) => {
    const text = `${crypto.randomUUID()} endless gap=5`;
    const { response, runId } = await start(ada, await newThread(ada), text);
    const stopped = await ada.call("runs.stop", { params: { run_id: runId } });
    expect(stopped.run.state).toBe("cancelled");
    expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/);
    const [request] = await server().requestsWith(text);
    await request?.end;
    expect(request?.ended).toBe("gone");
  });

  test("ends with the model's error", async ({ ada }) => {
    const { response, runId } = await start(ada, await newThread(ada), "die=4");
    const text = await response.text();
    expect(text).toContain(JSON.stringify(errors["provider-broke-off"].message));
    expect((await ada.ask("runs.resume", { params: { run_id: runId } })).text).toBe(text);
  });
});
