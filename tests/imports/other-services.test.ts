import { expect } from "vitest";
import { importFile, outcomesOf } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import {
  chatGptConversation,
  claudeConversation,
  node,
  exportedMessage as words,
} from "../support/data/conversations.ts";
import { zipped } from "../support/data/zips.ts";

/** A conversation as ChatGPT exports it: a root, a hidden message, reasoning, a tool, and an edited question. */
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

async function authors(who: Visitor, threadId: string): Promise<unknown[]> {
  const { messages } = await who.call("messages.branch", { params: { thread_id: threadId } });
  return messages.map(({ made_by: by }) =>
    by === null ? null : [by.assistant_id, by.assistant_name, by.model],
  );
}

async function branch(who: Visitor, threadId: string): Promise<unknown[]> {
  const { messages } = await who.call("messages.branch", { params: { thread_id: threadId } });
  return messages.map(({ role, content }) => [role, content["content"]]);
}

describeServer("an import from another service", {}, (server) => {
  test("adds ChatGPT's conversations with branches, reasoning, calls and sources, once", async ({ ada }) => {
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
    expect(await authors(ada, id)).toEqual([null, [null, "ChatGPT", "gpt-4o"]]);
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
    // The same conversation as JSON, or in numbered files, adds nothing.
    expect(outcomesOf(await importFile(ada, JSON.stringify([gardening])))).toEqual(["unchanged"]);
    const numbered = await zipped({
      "export/conversations-000.json": "[]",
      "export/conversations-001.json": JSON.stringify([gardening]),
    });
    expect(outcomesOf(await importFile(ada, numbered))).toEqual(["unchanged"]);
  });

  test("adds Claude's conversations with branches, reasoning and calls, once", async ({ ada }) => {
    const { start, threads } = await importFile(ada, JSON.stringify([letters]));
    expect(start).toMatchObject({ kind: "claude" });
    expect(threads).toMatchObject([{ outcome: "added", title: "A letter", messages: 3 }]);
    const { messages } = await ada.call("messages.list", { params: { thread_id: threads[0]!.thread_id! } });
    expect(await authors(ada, threads[0]!.thread_id!)).toEqual([null, [null, "Claude", null]]);
    const said = JSON.stringify(messages.map(({ content }) => content["content"]));
    for (const text of [
      "Write to Ben",
      '"filename":"notes.txt"',
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

  test("adds a Claude project as a thread with its prompt and documents, once", async ({ ada }) => {
    const project = (id: string, more: object = {}) => ({
      uuid: id,
      name: `Project ${id}`,
      description: "",
      prompt_template: "",
      created_at: "2024-03-01T10:00:00.000000Z",
      docs: [],
      ...more,
    });
    const garden = project("garden", {
      description: "All about the garden",
      prompt_template: "Answer like a gardener.",
      docs: [
        { uuid: "d1", filename: "plan.md", content: "# Plan" },
        { uuid: "d2", filename: "soil.pdf", content: "Loam." },
      ],
    });
    const blank = [project("empty"), project("example", { is_starter_project: true, prompt_template: "Hi" })];
    const list = JSON.stringify([garden, ...blank]);
    const zip = await zipped({ "conversations.json": JSON.stringify([letters]), "projects.json": list });
    const { start, threads } = await importFile(ada, zip);
    expect(start).toMatchObject({ kind: "claude" });
    expect(threads).toMatchObject([
      { outcome: "added", title: "A letter" },
      { outcome: "added", title: "Project garden", messages: 1, files: 2, missing_files: 0 },
    ]);
    expect(await branch(ada, threads[1]!.thread_id!)).toMatchObject([
      [
        "user",
        [
          { type: "text", text: "All about the garden" },
          { type: "text", text: "Answer like a gardener." },
          { type: "file", filename: "plan.md" },
          { type: "file", filename: "soil.pdf.txt" },
        ],
      ],
    ]);
    const alone = await zipped({ "projects/1f.json": JSON.stringify(garden) });
    for (const file of [alone, list, JSON.stringify(garden)])
      expect(outcomesOf(await importFile(ada, file))).toEqual(["unchanged"]);
  });

  test("puts the chats of a project into a folder", async ({ ada }) => {
    const long = "A project about the garden behind the house";
    const open = { ...gardening, is_archived: false };
    const chatGpt = [
      { ...open, conversation_template_id: "g-p-6812ab34cd56ef", gizmo_id: "g-p-6812ab34cd56ef" },
      { ...open, conversation_id: "second", gizmo_id: "g-p-6812ab34cd56ef" },
      { ...open, conversation_id: "third", gizmo_id: "g-p-6812ab34ce78ff" },
      { ...open, conversation_id: "assistant", gizmo_id: "g-123", conversation_template_id: null },
    ];
    const claude = [
      { ...letters, project: { uuid: "p1", name: long } },
      { ...letters, uuid: "none", project: null },
      { ...letters, uuid: "odd", project: { name: 7 } },
      { ...letters, uuid: "blank", project: { name: "  " } },
    ];
    const project = { uuid: "p1", name: long, description: "Ferns", prompt_template: "", docs: [] };
    const files = {
      "conversations.json": JSON.stringify(claude),
      "projects.json": JSON.stringify([project]),
    };
    for (const file of [JSON.stringify(chatGpt), await zipped(files)]) {
      const { threads } = await importFile(ada, file);
      expect(threads.every(({ outcome }) => outcome === "added")).toBe(true);
    }
    const { labels } = await ada.call("labels.list", {});
    expect(labels.map(({ kind, name }) => [kind, name])).toEqual([
      ["folder", "A project about the garden behind the ho"],
      ["folder", "ChatGPT project 6812ab34cd56"],
      ["folder", "ChatGPT project 6812ab34ce78"],
    ]);
    const { threads } = await ada.call("threads.list", { query: {} });
    const counts = labels.map(({ id }) => threads.filter(({ folder_id: folder }) => folder === id).length);
    expect(counts).toEqual([2, 2, 1]);
    for (const { metadata } of threads) expect(metadata).toHaveProperty("imported_from");
  });

  test("reads as much as it can of fields with unexpected values", async ({ ada }) => {
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
    const { thread } = await ada.call("threads.get", { params: { thread_id: threads[0]!.thread_id! } });
    expect(thread).toMatchObject({ title: "Look", title_source: "fallback" });
    expect(await branch(ada, threads[0]!.thread_id!)).toEqual([
      [
        "user",
        [
          { type: "text", text: "(Image: a file that this import does not contain)" },
          { type: "text", text: "Look" },
        ],
      ],
      ["assistant", [{ type: "text", text: "Seen" }]],
    ]);
  });

  test("recognizes other layouts of the file, and reports an empty one", async ({ ada }) => {
    const one = chatGptConversation("one", [words("user", "One")]);
    const two = chatGptConversation("two", [words("user", "Two")]);
    const letter = claudeConversation("letter", [{ text: "Three" }]);
    const added = async (file: Uint8Array | string) => {
      const { start, threads } = await importFile(ada, file);
      return [
        (start as { kind: unknown }).kind,
        ...threads.map(({ title, outcome }) => `${title}: ${outcome}`),
      ];
    };
    expect(await added(JSON.stringify({ version: 1, conversations: [one] }))).toEqual([
      "chatgpt",
      "About one: added",
    ]);
    const deep = await zipped({
      "download/export/part 1/conversations-000.json": JSON.stringify([one]),
      "download/export/part 1/conversations-001.json": JSON.stringify({ conversations: [two] }),
      "__MACOSX/download/._conversations-000.json": "x",
    });
    expect(await added(deep)).toEqual(["chatgpt", "About one: unchanged", "About two: added"]);
    expect(await added(await zipped({ "a/b/c/conversations.json": JSON.stringify([letter]) }))).toEqual([
      "claude",
      "About letter: added",
    ]);
    for (const empty of [
      "[]",
      '{"conversations":[]}',
      await zipped({ "conversations.json": "[]", "user.json": "{}" }),
      await zipped({ "conversations.json": '{"conversations":[]}' }),
    ])
      expect(await added(empty)).toEqual([null]);
  });

  test("shows old and new citations as links and sources", async ({ ada }) => {
    const cite = "\ue200cite\ue202turn0search1\ue202turn0news2\ue201";
    const web = (number: number, url: string, title: string) => ({
      start_ix: 0,
      end_ix: 0,
      metadata: { type: "webpage", url, title, extra: { cited_message_idx: number } },
    });
    const conversation = chatGptConversation("citations", [
      words("user", "What does 【11†source】 mean?"),
      words("assistant", "🌿 Ferns【11†source】 and ivy【12†L3-L5】, see【8:0†plan.pdf】 or【99†gone】.", {
        metadata: {
          citations: [
            web(11, "https://ferns.example/a_(b)", "Ferns [all]"),
            web(12, "https://ivy.example/", ""),
            { start_ix: 41, end_ix: 53, metadata: { type: "file", name: "plan.pdf", id: "file-1" } },
            { metadata: { type: "webpage", url: "javascript:alert(1)", title: "No" } },
          ],
        },
      }),
      words("user", "And now?"),
      words(
        "assistant",
        `Hostas ${cite}, \ue200entity\ue202["city","Zürich"]\ue201\ue200navlist\ue202x\ue201 too.`,
        {
          metadata: {
            content_references: [
              {
                matched_text: cite,
                alt: null,
                type: "grouped_webpages",
                items: [
                  {
                    url: "https://hostas.example/",
                    title: "Hostas",
                    supporting_websites: [{ url: "https://more.example/", title: "More" }],
                  },
                ],
              },
              {
                matched_text: " ",
                type: "sources_footnote",
                sources: [{ url: "https://hostas.example/", title: "" }],
              },
            ],
          },
        },
      ),
    ]);
    const { threads } = await importFile(ada, JSON.stringify([conversation]));
    expect(await branch(ada, threads[0]!.thread_id!)).toMatchObject([
      ["user", [{ text: "What does 【11†source】 mean?" }]],
      [
        "assistant",
        [
          {
            text: "🌿 Ferns ([Ferns all](https://ferns.example/a_%28b%29)) and ivy ([ivy.example](https://ivy.example/)), see (plan.pdf) or.",
          },
          { type: "source", sourceType: "url", url: "https://ferns.example/a_(b)", title: "Ferns [all]" },
          { type: "source", sourceType: "url", url: "https://ivy.example/" },
          { type: "source", sourceType: "document", title: "plan.pdf", filename: "plan.pdf" },
        ],
      ],
      ["user", [{ text: "And now?" }]],
      [
        "assistant",
        [
          { text: "Hostas ([Hostas](https://hostas.example/)), Zürich too." },
          { type: "source", url: "https://hostas.example/", title: "Hostas" },
          { type: "source", url: "https://more.example/", title: "More" },
        ],
      ],
    ]);
  });

  test("shows a canvas as text after each change, and a change that cannot be applied as it is", async () => {
    const ada = server().inNewWorkspace();
    const canvas = (recipient: string, args: object) => ({
      author: { role: "assistant" },
      recipient,
      content: { content_type: "code", text: JSON.stringify(args) },
    });
    const worked = (name: string) => ({ ...words("tool", "It worked"), author: { role: "tool", name } });
    const create = (args: object) => [
      canvas("canmore.create_textdoc", args),
      worked("canmore.create_textdoc"),
    ];
    const update = (...updates: object[]) => [
      canvas("canmore.update_textdoc", { updates }),
      worked("canmore.update_textdoc"),
    ];
    const conversation = chatGptConversation("canvas", [
      words("user", "Write a program"),
      ...create({ name: "Garden", type: "code/python", content: "grow('fern')\n" }),
      words("assistant", "Here it is."),
      words("user", "Change it"),
      ...update({ pattern: String.raw`grow\('fern'\)`, multiple: false, replacement: "grow('ivy')" }),
      ...update({ pattern: "'", multiple: true, replacement: '"' }),
      words("assistant", "Changed."),
      words("user", "Again"),
      ...update(
        { pattern: ".*", multiple: true, replacement: "plant()\n" },
        { pattern: "(a+)+$", multiple: false, replacement: "never()" },
      ),
      words("user", "A letter"),
      ...create({ name: "Letter", type: "document", content: "Dear **Ben**\n" }),
    ]);
    const { threads } = await importFile(ada, JSON.stringify([conversation]));
    const texts = (await branch(ada, threads[0]!.thread_id!)) as [string, { type: string; text: string }[]][];
    expect(texts.map(([, parts]) => parts.map(({ text }) => text))).toEqual([
      ["Write a program"],
      ["### Garden\n\n```python\ngrow('fern')\n```", "Here it is."],
      ["Change it"],
      ['### Garden\n\n```python\ngrow("ivy")\n```', "Changed."],
      ["Again"],
      ["### Garden\n\n```python\nplant()\n```", "### A change to Garden\n\n```python\nnever()\n```"],
      ["A letter"],
      ["### Letter\n\nDear **Ben**\n"],
    ]);
  });

  test("shows Claude's artifacts as text after each change", async ({ ada }) => {
    const use = (input: object, name = "artifacts", id = "t") => [
      { type: "tool_use", id, name, input },
      { type: "tool_result", tool_use_id: id, name, content: [{ type: "text", text: "OK" }] },
    ];
    const ask = { text: "Go on" };
    const conversation = claudeConversation("artifacts", [
      ask,
      {
        text: '<antThinking>Code it</antThinking>Here:\n<antArtifact identifier="a" type="application/vnd.ant.code" language="ts" title="Sum">\nconst a = "```";\n</antArtifact>\nDone.',
      },
      ask,
      {
        content: [
          ...use({ command: "create", id: "b", type: "text/markdown", title: "Notes", content: "# Ferns" }),
          { type: "text", text: "Written." },
        ],
      },
      ask,
      {
        content: [
          ...use({ command: "update", id: "b", old_str: "Ferns", new_str: "Ivy" }),
          ...use({ command: "update", id: "b", old_str: "Gone", new_str: "Never" }),
          ...use({ path: "/home/claude/a.py", file_text: "x = 1" }, "create_file"),
          ...use({ path: "/home/claude/a.py", old_str: "1", new_str: "2" }, "str_replace"),
          { type: "flag", flag: "x" },
        ],
      },
    ]);
    const { threads, end } = await importFile(ada, JSON.stringify([conversation]));
    const texts = (await branch(ada, threads[0]!.thread_id!)) as [string, { type: string; text: string }[]][];
    expect(
      texts.flatMap(([role, parts]) => (role === "user" ? [] : [parts.map(({ text }) => text)])),
    ).toEqual([
      ["Code it", "Here:\n", '### Sum\n\n````ts\nconst a = "```";\n````', "\nDone."],
      ["### Notes\n\n# Ferns", "Written."],
      [
        "### Notes\n\n# Ivy",
        "### A change to Notes\n\n```text\nNever\n```",
        "### /home/claude/a.py\n\n```py\nx = 2\n```",
      ],
    ]);
    expect(threads).toMatchObject([
      { skipped: [{ reason: "unknown", name: "flag", count: 1 }], skipped_items: 1 },
    ]);
    expect(end).toMatchObject({ skipped_items: 1 });
  });

  test("reports hidden messages and unknown content", async ({ ada }) => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
    const conversation = chatGptConversation("hidden", [
      words("system", "", hidden),
      words("system", "You are ChatGPT", hidden),
      {
        author: { role: "user" },
        content: { content_type: "user_editable_context", user_instructions: "Be brief" },
        metadata: { is_visually_hidden_from_conversation: true, is_user_system_message: true },
      },
      words("user", "Hello"),
      { author: { role: "assistant" }, content: { content_type: "hologram", beam: "light" } },
    ]);
    const { threads } = await importFile(ada, JSON.stringify([conversation]));
    expect(threads).toMatchObject([
      {
        outcome: "added",
        messages: 1,
        skipped_items: 3,
        skipped: [
          { reason: "hidden", name: "system", count: 1 },
          { reason: "hidden", name: "instructions", count: 1 },
          { reason: "unknown", name: "hologram", count: 1 },
        ],
      },
    ]);
  });
});
