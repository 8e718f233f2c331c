import { expect, onTestFinished, test } from "vitest";
import { userMessage } from "#fixtures/people.ts";
import { describeServer } from "../support/servers/server.ts";
import { keyCloud, newestClient } from "./clients.ts";

/**
 * The newest client stores messages of the AI SDK in their own format, and then sends a copy of each in `aui/v0`, with the
 * same external id and without a lease. After a reload, the external ids are those of the messages that it has loaded.
 */
describeServer("a copy that the protocol's newest client sends", {}, (server) => {
  async function open() {
    const workspaceId = server().inNewWorkspace().headers["Aui-Workspace-Id"]!;
    const cloud = keyCloud(newestClient, server(), { workspaceId });
    const { thread_id: threadId } = await cloud.threads.create({ last_message_at: new Date() });
    const tab = new newestClient.CloudMessagePersistence(cloud);
    onTestFinished(() => tab.reset());
    await tab.append(threadId, "question", null, "ai-sdk/v6", asked);
    const copy = async (externalId: string, content: object, parent?: string) =>
      (
        await cloud.threads.messages.create(threadId, {
          parent_id: null,
          format: "aui/v0",
          content: content as typeof asked,
          external_id: externalId,
          ...(parent === undefined ? {} : { parent_external_id: parent }),
        })
      ).message_id;
    const stored = async () => (await cloud.threads.messages.list(threadId)).messages.toReversed();
    return { cloud, threadId, tab, copy, stored };
  }

  test("leaves an answer that is still being written, and its lease, to the client", async () => {
    const { threadId, tab, copy, stored } = await open();
    await tab.append(threadId, "answer", "question", "ai-sdk/v6", answered(), "running");
    const [, answer] = await stored();
    expect(await copy("answer", copied("Ferns."), "question")).toBe(answer!.id);
    await tab.update(threadId, "answer", "ai-sdk/v6", answered("Ferns."), "done");
    expect(await stored()).toMatchObject([
      { content: asked },
      { format: "ai-sdk/v6", content: answered("Ferns."), run: { status: "ended" } },
    ]);
  });

  test("leaves a message in the AI SDK's format as it is, also for the client's later writes", async () => {
    const { threadId, tab, copy, stored } = await open();
    await tab.append(threadId, "answer", "question", "ai-sdk/v6", answered("Ferns"));
    await copy("answer", copied("Ferns"), "question");
    await tab.update(threadId, "answer", "ai-sdk/v6", answered("Ferns and moss."));
    await copy("answer", copied("Ferns and moss."), "question");
    expect((await stored())[1]).toMatchObject({ format: "ai-sdk/v6", content: answered("Ferns and moss.") });
  });

  test("gives way to the message itself if it comes first", async () => {
    const { threadId, tab, copy, stored } = await open();
    await copy("answer", copied("Ferns."), "question");
    await tab.append(threadId, "answer", "question", "ai-sdk/v6", answered("Ferns."));
    expect((await stored()).map(({ format }) => format)).toEqual(["ai-sdk/v6", "ai-sdk/v6"]);
  });

  test("of messages that the client has loaded stores none of them again", async () => {
    const { cloud, threadId, tab, copy, stored } = await open();
    await tab.append(threadId, "answer", "question", "ai-sdk/v6", answered("Ferns."));
    const { message_id: own } = await cloud.threads.messages.create(threadId, {
      parent_id: (await stored())[1]!.id,
      format: "aui/v0",
      content: userMessage("And mosses?"),
    });
    const before = await stored();
    const [question, answer] = before;
    expect(await copy(question!.id, userMessage("What grows?"))).toBe(question!.id);
    expect(await copy(answer!.id, copied("Ferns."), question!.id)).toBe(answer!.id);
    expect(await copy(own, userMessage("And mosses? (copied)"), answer!.id)).toBe(own);
    expect(await stored()).toEqual(before);
    // A new message below one of them.
    const next = await copy("next", copied("Mosses too."), own);
    expect((await stored()).find(({ id }) => id === next)?.parent_id).toBe(own);
  });

  test("cannot name a message of another thread", async () => {
    const { copy, stored } = await open();
    const elsewhere = await open();
    const [foreign] = await elsewhere.stored();
    expect(await copy(foreign!.id, userMessage("Mine"))).not.toBe(foreign!.id);
    expect(await stored()).toHaveLength(2);
    expect(await elsewhere.stored()).toMatchObject([{ content: asked }]);
  });
});

const asked = { role: "user", parts: [{ type: "text", text: "What grows?" }] };
const answered = (text?: string) => ({
  role: "assistant",
  parts: text === undefined ? [] : [{ type: "step-start" }, { type: "text", text, state: "done" }],
});
const copied = (text: string) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  metadata: { custom: {} },
  status: { type: "complete", reason: "unknown" },
});
