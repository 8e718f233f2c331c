import {
  AssistantMessageStream,
  AssistantStream,
  DataStreamDecoder,
  UIMessageStreamDecoder,
} from "assistant-stream";
import { expect } from "vitest";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { clients, keyCloud } from "./clients.ts";

const formats = [
  ["data stream", "text/plain", "2:[]\n", DataStreamDecoder],
  ["UI message stream", "text/event-stream", ":\n\n", UIMessageStreamDecoder],
] as const;

/** The model says nothing for a quarter of a second, before and within its answer. */
const silentModel = "first=250 gap=250 tokens=2";

async function ask(who: Visitor, accept: string, more: object = {}): Promise<Response> {
  const { thread_id } = await who.call("threads.create", {
    body: { last_message_at: new Date().toISOString() },
  });
  const messages = [{ role: "user", content: [{ type: "text", text: silentModel }] }];
  return await fetch(`${who.url}/v1/runs/stream`, {
    method: "POST",
    headers: { ...who.headers, "Content-Type": "application/json", Accept: accept },
    body: JSON.stringify({ thread_id, assistant_id: "default", messages, ...more }),
  });
}

describeServer("a stream whose model is silent", { model: true, heartbeatMs: 30 }, (server) => {
  test.for(formats)(
    "stays open through proxies as a %s, without a change of the message",
    async (format, { ada }) => {
      const [, accept, heartbeat, Decoder] = format;
      const text = await (await ask(ada, accept)).text();
      const [beforeFirst = "", ...between] = text.split(/(?=0:"|data: \{"type":"text-)/);
      for (const phase of [beforeFirst, between.join("")])
        expect(phase.split(heartbeat).length).toBeGreaterThan(3);

      const stream = AssistantStream.fromResponse(new Response(text), new Decoder());
      const message = await AssistantMessageStream.fromAssistantStream(stream).unstable_result();
      expect(message.parts.map(({ type }) => type)).toEqual(["text"]);
      expect(message.metadata.unstable_data).toEqual([]);
      expect(message.status).toEqual({ type: "complete", reason: "stop" });
    },
  );

  test("stays open when it is resumed", async ({ ada }) => {
    const started = await ask(ada, "text/event-stream", { resumable: true });
    const runId = started.headers.get("x-resumable-stream-id") ?? "";
    const resumed = await ada.ask("runs.resume", { params: { run_id: runId } });
    for (const text of [resumed.text, await started.text()])
      expect(text.split("\n:\n\n").length).toBeGreaterThan(3);
  });

  test.for(clients)("adds nothing to a title of %s", async ([, client]) => {
    const cloud = keyCloud(client, server());
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const stream = await cloud.runs.stream({
      thread_id,
      assistant_id: "system/thread_title",
      messages: [{ role: "user", content: [{ type: "text", text: silentModel }] }],
    });
    const message = await AssistantMessageStream.fromAssistantStream(stream).unstable_result();
    expect(message.parts).toHaveLength(1);
    expect((message.parts[0] as { text: string }).text).toMatch(/^\w+ \w+$/);
  });
});
