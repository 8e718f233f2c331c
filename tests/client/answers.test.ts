import { Chat } from "@ai-sdk/react";
import type { ChatModelRunResult } from "@assistant-ui/react";
import { describe, expect, onTestFinished, test } from "vitest";
import { shortenSilence, startNetwork } from "#tests/support/servers/network.ts";
import { describeServer } from "#tests/support/servers/server.ts";
import { createChatModel } from "../../client/chat-model.ts";
import { createChatTransport } from "../../client/chat-transport.ts";

describeServer("an app whose server answers", { model: true, on: ["sqlite"] }, (server) => {
  /** A new thread of a new person, and the network to the server. */
  async function start() {
    const ada = server().inNewWorkspace();
    const { thread_id: id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const network = await startNetwork(server());
    onTestFinished(network.close);
    return { ada, id, network };
  }

  async function startChat() {
    const { ada, id, network } = await start();
    const options = { api: `${network.url}/v1/runs/stream`, headers: async () => ada.headers };
    const cloud = { runs: { __internal_getAssistantOptions: () => options } };
    // `@ai-sdk/react` is pinned with an older version of `ai`.
    const chat = new Chat({ id, transport: createChatTransport({ cloud }) as never });
    const said = () => {
      const last = chat.messages.at(-1);
      return last?.role === "assistant" ? textOf(last.parts) : "";
    };
    return { ada, id, network, chat, said };
  }

  /** Reads an answer of useLocalRuntime's model, and calls `onWords` once, after some words. */
  async function readModel(words: string, onWords: (network: Network) => void) {
    const { ada, id, network } = await start();
    const { run } = createChatModel({
      baseUrl: network.url,
      headers: () => ada.headers,
      threadId: async () => id,
    });
    const message = (role: string, text: string) =>
      ({ role, content: text === "" ? [] : [{ type: "text", text }], metadata: { custom: {} } }) as never;
    const stop = new AbortController();
    const results = run({
      messages: [message("user", words)],
      runConfig: {},
      context: {},
      abortSignal: stop.signal,
      unstable_getMessage: () => message("assistant", ""),
    });
    const read: ChatModelRunResult[] = [];
    let isCalled = false;
    try {
      for await (const result of results as AsyncGenerator<ChatModelRunResult, void>) {
        read.push(result);
        if (isCalled || textOf(result.content ?? []).split(" ").length < 4) continue;
        isCalled = true;
        onWords(Object.assign(network, { stop }));
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
    return { id, last: read.at(-1) };
  }

  describe.for(["cut", "freeze"] as const)("after a lost connection (%s)", (lose) => {
    test("continues an answer with useChatRuntime's transport", async () => {
      shortenSilence();
      const { ada, id, network, chat, said } = await startChat();
      const words = `Count for me ${lose} tokens=30 gap=20`;
      const sent = chat.sendMessage({ text: words });
      await expect.poll(() => said().split(" ").length).toBeGreaterThan(3);
      network[lose]();
      await sent;
      expect(chat.error).toBeUndefined();
      expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(said().split(" ")).toHaveLength(30);
      expect(await server().requestsWith(words)).toHaveLength(1);
      const { messages } = await ada.call("messages.list", { params: { thread_id: id } });
      expect(messages).toMatchObject([{ external_id: chat.messages[0]?.id, content: { role: "user" } }]);
    });

    test("continues an answer with useLocalRuntime's model", async () => {
      shortenSilence();
      const { last } = await readModel("Count think=2 tokens=30 gap=20", (network) => network[lose]());
      expect(last?.content?.map(({ type }) => type)).toEqual(["reasoning", "text"]);
      expect(textOf(last?.content ?? []).split(" ")).toHaveLength(30);
      expect(last?.status).toEqual({ type: "complete", reason: "stop" });
    });
  });

  test("stops an answer", async () => {
    const { chat } = await startChat();
    const endless = `${crypto.randomUUID()} endless gap=5`;
    const unfinished = chat.sendMessage({ text: endless });
    const [asked] = await server().requestsWith(endless);
    await expect.poll(() => chat.status).toBe("streaming");
    await chat.stop();
    await unfinished;
    await asked?.end;
    expect(asked?.ended).toBe("gone");
  });
});

type Network = Awaited<ReturnType<typeof startNetwork>> & { stop: AbortController };

const textOf = (parts: readonly { type: string; text?: string }[]) =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
