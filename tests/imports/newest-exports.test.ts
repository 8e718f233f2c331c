import { expect } from "vitest";
import {
  chatGptConversation,
  claudeConversation,
  exportedMessage as words,
} from "../support/data/conversations.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { gardenPng } from "../support/data/files.ts";
import { zipped } from "../support/data/zips.ts";
import { exportThread, importFile, outcomesOf } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";

const json = (value: unknown) => JSON.stringify(value);
const picture = "file_00000000d9d871f4a0b1c2d3e4f50617";

/** A zip as ChatGPT writes it since 2026: numbered lists, files without types, and what there is beside the conversations. */
const chatGptZip = async () =>
  await zipped({
    "conversations-000.json": json([
      chatGptConversation("garden", [
        null,
        {
          author: { role: "user" },
          content: {
            content_type: "multimodal_text",
            parts: [
              { content_type: "image_asset_pointer", asset_pointer: `sediment://${picture}` },
              { content_type: "audio_transcription", text: "What is this?", direction: "in" },
            ],
          },
        },
        {
          author: { role: "assistant" },
          content: {
            content_type: "thoughts",
            thoughts: [{ summary: "Leaves", content: "They are fronds." }],
            source_analysis_msg_id: "x",
          },
        },
        {
          author: { role: "assistant" },
          content: { content_type: "reasoning_recap", content: "Thought for 33s" },
          metadata: { finished_duration_sec: 33, reasoning_status: "reasoning_ended" },
        },
        words("assistant", "A fern.", { metadata: { model_slug: "gpt-5-thinking" } }),
      ]),
    ]),
    "conversations-001.json": json([
      chatGptConversation("stopped", [
        words("user", "Count to a million"),
        words("assistant", "One, two", { status: "finished_partial_completion" }),
      ]),
    ]),
    [`${picture}.dat`]: gardenPng,
    "conversation_asset_file_names.json": json({ [`${picture}.dat`]: "fern.png" }),
    "export_manifest.json": json({ version: 1 }),
    "library_files.json": json([]),
    "user.json": json({ id: "user-1" }),
    "user_settings.json": json({}),
    "chat.html": "<html></html>",
    "shared_conversations.json": json([
      { id: "s1", conversation_id: "garden", title: "About garden", is_anonymous: true },
    ]),
    "message_feedback.json": json([{ id: "f1", conversation_id: "garden", rating: "thumbs_up" }]),
    "group_chats.json": json({ chats: [{ id: "g1", title: "All of us" }] }),
  });

const times = { created_at: "2026-03-01T10:00:00.000000Z", updated_at: "2026-03-01T10:05:00.000000Z" };
const memories = {
  conversations_memory: "**Work context**\n\nA gardener.",
  project_memories: { p1: "Likes ferns.", p2: "" },
  memory_files: [{ path: "/plants.md", content: "Ferns" }],
  account_uuid: "acct",
};

/** What is in Claude's zips since 2026, which people may have put into one. */
const claudeFiles = {
  "conversations.json": json([
    claudeConversation("letters", [
      { content: [{ type: "text", text: "Write to Ben" }] },
      {
        content: [
          {
            type: "thinking",
            thinking: "He likes short letters.",
            summaries: [{ summary: "Thought of Ben" }],
            start_timestamp: "2026-03-01T10:00:01.000000Z",
            stop_timestamp: "2026-03-01T10:00:03.500000Z",
          },
          { type: "thinking", thinking: "", summaries: [{ summary: "Looked for a greeting" }] },
          { type: "tool_use", id: "t1", name: "web_search", input: { query: "greetings" } },
          {
            type: "tool_result",
            tool_use_id: "t1",
            name: "web_search",
            content: [{ type: "knowledge", title: "Greetings", url: "https://greetings.example/" }],
          },
          {
            type: "text",
            text: "Dear Ben",
            citations: [{ url: "https://greetings.example/", title: "Greetings" }],
          },
        ],
        stop_reason: "user_canceled",
      },
    ]),
    { uuid: "broken", name: "Broken", chat_messages: [null] },
  ]),
  "projects/p1.json": json({ uuid: "p1", name: "Plants", prompt_template: "Be brief", docs: [], ...times }),
  "design_chats/d1.json": json({
    uuid: "d1",
    title: "A poster",
    project: { name: "Fair" },
    ...times,
    messages: [
      {
        uuid: "d1-q",
        role: "user",
        created_at: times.created_at,
        content: { content: "Draw it", attachments: [{ name: "brief.txt", content: "Green" }] },
      },
      {
        uuid: "d1-a",
        role: "assistant",
        created_at: times.updated_at,
        content: {
          contentBlocks: [
            { type: "thinking", text: "Green it is." },
            { type: "tool_call", toolCall: { id: "c1", name: "write_file", input: { path: "a.html" } } },
            { type: "user_interjection", message: { content: "Larger" } },
            { type: "text", text: "Done." },
            { type: "hologram" },
          ],
        },
      },
    ],
  }),
  "memories/acct.json": json(memories),
  "users.json": json([{ uuid: "acct", full_name: "Ada" }]),
  "login_history.json": json([]),
  "manifest-1.json": json({ data_files: [] }),
};

const shortened = (messages: { content: unknown }[]) =>
  messages.map(({ content }) => (content as { content: object[]; status?: object }).content);

describeServer("an import of the newest exports", {}, () => {
  test("of ChatGPT reads all lists and files, and counts what there is no place for", async ({ ada }) => {
    const zip = await chatGptZip();
    const { start, threads, end } = await importFile(ada, zip);
    expect(start).toMatchObject({ kind: "chatgpt" });
    expect(threads).toMatchObject([
      { outcome: "added", title: "About garden", messages: 2, files: 1, missing_files: 0, skipped_items: 0 },
      { outcome: "added", title: "About stopped", messages: 2 },
    ]);
    const notYet = { reason: "not-yet", count: 1 };
    expect(end).toMatchObject({ unused_files: 0 });
    expect((end as { skipped: unknown[] }).skipped).toEqual([
      { ...notYet, name: "group chats" },
      { ...notYet, name: "ratings" },
      { ...notYet, name: "shared links" },
    ]);
    const garden = await exportThread(ada, threads[0]!.thread_id!);
    expect(garden.files).toMatchObject([{ name: "fern.png", type: "image/png" }]);
    expect(shortened(garden.messages)).toMatchObject([
      [{ type: "image" }, { type: "text", text: "What is this?" }],
      [
        {
          type: "reasoning",
          text: "Leaves\n\nThey are fronds.",
          providerMetadata: { parlance: { durationMs: 33_000 } },
        },
        { type: "text", text: "A fern." },
      ],
    ]);
    expect(garden.messages[1]).toMatchObject({
      made_by: { assistant_name: "ChatGPT", model: "gpt-5-thinking" },
    });
    const stopped = await exportThread(ada, threads[1]!.thread_id!);
    expect(stopped.messages[1]!.status).toMatchObject({ type: "incomplete", reason: "interrupted" });

    const again = await importFile(ada, zip);
    expect(outcomesOf(again)).toEqual(["unchanged", "unchanged"]);
    expect(again.end).toMatchObject({ skipped: (end as { skipped: unknown[] }).skipped });
  });

  test("of Claude reads chats, designs and projects, together or apart, and counts memories", async ({
    ada,
    eve,
  }) => {
    const zip = await zipped(claudeFiles);
    const { start, threads, end } = await importFile(ada, zip);
    expect(start).toMatchObject({ kind: "claude" });
    expect(threads).toMatchObject([
      { outcome: "added", title: "About letters", messages: 2, skipped_items: 0 },
      { outcome: "added", title: "Broken", messages: 0 },
      {
        outcome: "added",
        title: "A poster",
        messages: 2,
        files: 1,
        skipped: [{ name: "hologram", count: 1 }],
      },
      { outcome: "added", title: "Plants", messages: 1 },
    ]);
    const counted = { skipped: [{ reason: "not-yet", name: "memories", count: 3 }], unused_files: 0 };
    expect(end).toMatchObject(counted);
    const letters = await exportThread(ada, threads[0]!.thread_id!);
    expect(letters.messages[1]).toMatchObject({ status: { type: "incomplete", reason: "interrupted" } });
    expect(shortened(letters.messages)[1]).toMatchObject([
      {
        type: "reasoning",
        text: "He likes short letters.",
        providerMetadata: { parlance: { durationMs: 2_500 } },
      },
      { type: "reasoning", text: "Looked for a greeting" },
      { type: "tool-call", toolName: "web_search", args: { query: "greetings" } },
      { type: "text", text: "Dear Ben" },
      { type: "source", url: "https://greetings.example/" },
    ]);
    const poster = await exportThread(ada, threads[2]!.thread_id!);
    expect(poster.thread).toMatchObject({ created_at: "2026-03-01T10:00:00.000Z" });
    expect(shortened(poster.messages)).toMatchObject([
      [{ type: "text", text: "Draw it" }, { type: "file" }],
      [
        { type: "reasoning", text: "Green it is." },
        { type: "tool-call", toolName: "write_file", args: { path: "a.html" } },
        { type: "text", text: "> Larger" },
        { type: "text", text: "Done." },
      ],
    ]);
    const again = await importFile(ada, zip);
    expect(outcomesOf(again)).toEqual(["unchanged", "unchanged", "unchanged", "unchanged"]);
    expect(again.end).toMatchObject(counted);

    // Claude sends a zip of each kind.
    const parts = ["conversations.json", "projects/p1.json", "design_chats/d1.json"] as const;
    for (const name of parts)
      expect(outcomesOf(await importFile(eve, await zipped({ [name]: claudeFiles[name] })))).toContain(
        "added",
      );
    const onlyMemories = [await zipped({ "memories/acct.json": json(memories) }), json([memories])];
    for (const file of onlyMemories) {
      const report = await importFile(eve, file);
      expect(report.start).toMatchObject({ kind: "claude" });
      expect(report.threads).toEqual([]);
      expect(report.end).toMatchObject({ skipped: counted.skipped });
    }
  });

  test("of Gemini as a web page is refused, and the error says which form to choose", async ({ ada }) => {
    const page =
      '<html><head><title>My Activity History</title></head><body><div class="outer-cell"></div></body></html>';
    for (const file of [page, await zipped({ "Takeout/My Activity/Gemini Apps/MyActivity.html": page })]) {
      const refused = await ada.send("POST", "/v1/import", { body: file as string });
      expectProblem(refused, "import-html");
      expect(refused.text).toContain("as JSON");
    }
  });
});
