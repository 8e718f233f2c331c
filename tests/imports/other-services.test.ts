import { expect, test } from "vitest";
import { importFile, outcomesOf } from "../support/transfer.ts";
import { describeServer } from "../support/server.ts";
import type { Visitor } from "../support/visitor.ts";
import { zipped } from "../support/zips.ts";

type Said = {
  author: { role: string; name?: string };
  content: object;
  recipient?: string;
  metadata?: object;
};
const node = (id: string, parent: string | null, message: Said | null) => ({
  id,
  parent,
  children: [],
  message:
    message === null
      ? null
      : { id, create_time: 1_700_000_000.5, status: "finished_successfully", ...message },
});
const words = (role: string, text: string, more: object = {}): Said => ({
  author: { role },
  content: { content_type: "text", parts: [text] },
  ...more,
});

/** A conversation as ChatGPT exports one: a root, hidden words, thoughts, a tool, and a question that was put anew. */
const gardening = {
  title: "A shady garden",
  create_time: 1_700_000_000,
  update_time: 1_700_000_100,
  conversation_id: "6543-garden",
  is_archived: true,
  current_node: "answer-2",
  mapping: Object.fromEntries(
    [
      node("root", null, null),
      node(
        "hidden",
        "root",
        words("system", "You are ChatGPT", { metadata: { is_visually_hidden_from_conversation: true } }),
      ),
      node("question", "hidden", words("user", "What grows in the shade?")),
      node("thought", "question", {
        author: { role: "assistant" },
        content: {
          content_type: "thoughts",
          thoughts: [{ summary: "Shade", content: "Ferns come to mind." }],
        },
      }),
      node("recap", "thought", {
        author: { role: "assistant" },
        content: { content_type: "reasoning_recap", content: "Thought for 4 seconds" },
      }),
      node("call", "recap", {
        author: { role: "assistant" },
        recipient: "python",
        content: { content_type: "code", text: "print(1+1)" },
      }),
      node("output", "call", {
        author: { role: "tool", name: "python" },
        content: { content_type: "execution_output", text: "2" },
      }),
      node(
        "answer",
        "output",
        words("assistant", "Ferns \ue200cite\ue202turn0\ue201do.", {
          metadata: {
            content_references: [
              {
                matched_text: "\ue200cite\ue202turn0\ue201",
                alt: "([Ferns](https://ferns.example)) ",
                items: [{ url: "https://ferns.example/", title: "Ferns" }],
              },
            ],
          },
        }),
      ),
      node("question-2", "hidden", words("user", "And in the sun?")),
      node("answer-2", "question-2", words("assistant", "Lavender.", { metadata: { model_slug: "gpt-4o" } })),
    ].map((each) => [each.id, each]),
  ),
};

const letters = {
  uuid: "77-letters",
  name: "A letter",
  created_at: "2024-03-01T10:00:00.000000Z",
  updated_at: "2024-03-01T10:05:00.000000Z",
  chat_messages: [
    {
      uuid: "m1",
      sender: "human",
      text: "Write to Ben",
      content: [{ type: "text", text: "Write to Ben" }],
      created_at: "2024-03-01T10:00:00.000000Z",
      attachments: [{ file_name: "notes.txt", extracted_content: "Be kind." }],
      files: [{ file_name: "photo.png" }],
      parent_message_uuid: "00000000-0000-4000-8000-000000000000",
    },
    {
      uuid: "m2",
      sender: "assistant",
      text: "",
      content: [
        { type: "thinking", thinking: "He likes short letters." },
        { type: "tool_use", name: "web_search", input: { query: "letters" } },
        { type: "tool_result", name: "web_search", content: [{ type: "text", text: "Found" }] },
        { type: "text", text: "Dear Ben" },
      ],
      created_at: "2024-03-01T10:01:00.000000Z",
      parent_message_uuid: "m1",
    },
    {
      uuid: "m3",
      sender: "assistant",
      text: "Hello Ben",
      created_at: "2024-03-01T10:02:00.000000Z",
      parent_message_uuid: "m1",
    },
  ],
};

async function makers(who: Visitor, threadId: string): Promise<unknown[]> {
  const { messages } = await who.call("messages.branch", { params: { thread_id: threadId } });
  return messages.map(({ made_by: by }) =>
    by === null ? null : [by.assistant_id, by.assistant_name, by.model],
  );
}

async function branch(who: Visitor, threadId: string): Promise<unknown[]> {
  const { messages } = await who.call("messages.branch", { params: { thread_id: threadId } });
  return messages.map(({ role, content }) => [role, content["content"]]);
}

describeServer("what somebody has elsewhere", {}, (server) => {
  test("comes from ChatGPT with its branches, thoughts, calls and sources, and once only", async () => {
    const ada = server().inNewWorkspace();
    const zip = await zipped({
      "chat.html": "<html>",
      "conversations.json": JSON.stringify([gardening]),
      "user.json": "{}",
    });
    const { start, threads } = await importFile(ada, zip);
    expect(start).toMatchObject({ kind: "chatgpt" });
    expect(threads).toMatchObject([{ outcome: "added", title: "A shady garden", messages: 4 }]);
    const id = threads[0]!.thread_id!;
    const { thread } = await ada.call("threads.get", { params: { thread_id: id } });
    expect(thread).toMatchObject({
      is_archived: true,
      created_at: "2023-11-14T22:13:20.000Z",
      metadata: { imported_from: "chatgpt" },
    });
    // The branch that ChatGPT showed last is the one that is shown here.
    expect(await branch(ada, id)).toEqual([
      ["user", [{ type: "text", text: "And in the sun?" }]],
      ["assistant", [{ type: "text", text: "Lavender." }]],
    ]);
    expect(await makers(ada, id)).toEqual([null, [null, "ChatGPT", "gpt-4o"]]);
    const { messages } = await ada.call("messages.list", { params: { thread_id: id } });
    const first = messages.find(({ content }) => JSON.stringify(content).includes("Ferns come to mind"))!;
    expect(first.content).toMatchObject({
      role: "assistant",
      content: [
        { type: "reasoning", text: "Shade\n\nFerns come to mind." },
        { type: "tool-call", toolName: "python", argsText: "print(1+1)", result: "2" },
        { type: "text", text: "Ferns ([Ferns](https://ferns.example)) do." },
        { type: "source", url: "https://ferns.example/", title: "Ferns" },
      ],
    });
    // The same without its zip, or in parts that are numbered, is the same.
    expect(outcomesOf(await importFile(ada, JSON.stringify([gardening])))).toEqual(["unchanged"]);
    const numbered = await zipped({
      "export/conversations-000.json": "[]",
      "export/conversations-001.json": JSON.stringify([gardening]),
    });
    expect(outcomesOf(await importFile(ada, numbered))).toEqual(["unchanged"]);
  });

  test("comes from Claude with its branches, thoughts and calls, and once only", async () => {
    const ada = server().inNewWorkspace();
    const { start, threads } = await importFile(ada, JSON.stringify([letters]));
    expect(start).toMatchObject({ kind: "claude" });
    expect(threads).toMatchObject([{ outcome: "added", title: "A letter", messages: 3 }]);
    const { messages } = await ada.call("messages.list", { params: { thread_id: threads[0]!.thread_id! } });
    expect(await makers(ada, threads[0]!.thread_id!)).toEqual([null, [null, "Claude", null]]);
    const said = JSON.stringify(messages.map(({ content }) => content["content"]));
    for (const text of [
      "Write to Ben",
      "notes.txt:\\n\\nBe kind.",
      "photo.png: a file that",
      "He likes short letters.",
      "Dear Ben",
      "Hello Ben",
    ])
      expect(said).toContain(text);
    expect(messages.map(({ height }) => height)).toEqual([1, 1, 0]);
    expect(said).toContain('"toolName":"web_search"');
    expect(said).toContain('"result":"Found"');
    expect(
      outcomesOf(await importFile(ada, await zipped({ "conversations.json": JSON.stringify([letters]) }))),
    ).toEqual(["unchanged"]);
  });

  test("is taken as far as it can be read, whatever its fields hold", async () => {
    const ada = server().inNewWorkspace();
    const odd = {
      id: "odd",
      title: 7,
      create_time: "yesterday",
      current_node: ["x"],
      mapping: {
        a: { parent: 7, message: { author: null, content: "words" } },
        b: {
          parent: "gone",
          message: {
            author: { role: "user" },
            content: {
              content_type: "multimodal_text",
              parts: [null, 7, { content_type: "image_asset_pointer" }, "Look"],
            },
          },
        },
        c: {
          parent: "b",
          message: { author: { role: "assistant" }, content: { content_type: "of tomorrow", text: "Seen" } },
        },
        d: null,
      },
    };
    const { threads } = await importFile(
      ada,
      JSON.stringify([odd, { title: "No id", mapping: {} }, { title: "Neither", mapping: 7 }]),
    );
    expect(threads.map(({ outcome, error }) => error?.code ?? outcome)).toEqual([
      "added",
      "bad-request",
      "import-unknown",
    ]);
    expect(await branch(ada, threads[0]!.thread_id!)).toEqual([
      ["user", [{ type: "text", text: "(Image: a file that this import does not contain)\n\nLook" }]],
      ["assistant", [{ type: "text", text: "Seen" }]],
    ]);
  });
});
