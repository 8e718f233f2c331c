import { expect } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { userMessage } from "#fixtures/people.ts";
import { describeServer } from "../support/servers/server.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { test } from "./clients.ts";

describeServer("messages read in another format", { model: true }, () => {
  test("are converted where possible, and keep ids, parents, heights and times", async ({ cloud }) => {
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const add = async (parent_id: string | null, format: string, content: JsonObject) =>
      (await cloud.threads.messages.create(thread_id, { parent_id, format, content })).message_id;
    const question = await add(null, "aui/v0", userMessage("Hi"));
    const answer = await add(question, "aui/v0", {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "1", toolName: "search", args: { q: 1 }, result: null },
        { type: "text", text: "Yes" },
      ],
      metadata: { custom: { mine: 1 } },
      status: { type: "complete", reason: "stop" },
    });
    await add(answer, "ai-sdk/v5", { role: "user", parts: [{ type: "text", text: "Older" }] });
    await add(answer, "aui/v0", { broken: true });
    await add(answer, "my own", { role: "user", content: [] });

    const list = async (format?: string) =>
      (await cloud.threads.messages.list(thread_id, format === undefined ? {} : { format })).messages;
    const stored = await list();
    const asV6 = await list("ai-sdk/v6");
    expect(asV6.map(({ format }) => format)).toEqual([
      "my own",
      "aui/v0",
      "ai-sdk/v6",
      "ai-sdk/v6",
      "ai-sdk/v6",
    ]);
    expect((await list("ai-sdk/v5")).map(({ format }) => format)).toEqual([
      "my own",
      "aui/v0",
      "ai-sdk/v5",
      "ai-sdk/v5",
      "ai-sdk/v5",
    ]);
    expect(await list("aui/v0")).toEqual(stored);
    const place = ({ id, parent_id, height, created_at, updated_at }: (typeof stored)[number]) => [
      id,
      parent_id,
      height,
      created_at,
      updated_at,
    ];
    expect(asV6.map(place)).toEqual(stored.map(place));
    expect(asV6.slice(0, 2)).toEqual(stored.slice(0, 2));
    expect(asV6.slice(2).map(({ content }) => content)).toEqual([
      { role: "user", parts: [{ type: "text", text: "Older" }] },
      {
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "tool-search", toolCallId: "1", input: { q: 1 }, state: "output-available", output: null },
          { type: "step-start" },
          { type: "text", text: "Yes" },
        ],
        metadata: { mine: 1 },
      },
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
    ]);
    // The stored messages have not changed.
    expect(await list()).toEqual(stored);
  });

  test("include answers of our own runs", async ({ ada }) => {
    const { thread_id, reply } = await sendAndWait(ada, "tokens=4 think=3");
    const { messages } = await ada.call("messages.list", {
      params: { thread_id },
      query: { format: "ai-sdk/v6" },
    });
    const text = reply.parts.find((part) => part.type === "text");
    expect(messages.map(({ format }) => format)).toEqual(["ai-sdk/v6", "ai-sdk/v6"]);
    expect(messages[0]?.content).toMatchObject({
      role: "assistant",
      parts: [{ type: "step-start" }, { type: "reasoning" }, { type: "text", text: text?.text }],
    });
  });
});
