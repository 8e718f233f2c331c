import { expect } from "vitest";
import {
  deepSeekConversation,
  geminiActivity,
  huggingChatConversation,
  leChatMessages,
  libreChatConversation,
  lobeChatExport,
  openWebUiChat,
  pictureBytes,
} from "../support/data/chat-products.ts";
import { exportThread, importFile, outcomesOf, type Report } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { zipped } from "../support/data/zips.ts";

type Said = { role: string; parent: number; parts: unknown[]; model: string | null; status: string };

/** All messages of an imported thread, with the position of their parents. */
async function saidIn(who: Visitor, report: Report, number = 1): Promise<Said[]> {
  const { messages } = await exportThread(who, report.threads[number - 1]!.thread_id!);
  const positions = new Map(messages.map(({ id }, index) => [id, index]));
  return messages.map(({ role, parent_id: parent, content, made_by: by, status }) => ({
    role,
    parent: parent === null ? -1 : positions.get(parent)!,
    parts: (content["content"] as Record<string, unknown>[]).map(({ type, ...part }) => {
      if (type === "text") return part["text"];
      if (type === "reasoning") return { thought: part["text"] };
      if (type === "tool-call") return { call: part["toolName"], args: part["args"], result: part["result"] };
      if (type === "source") return { source: part["url"] ?? part["filename"] };
      return { file: part["filename"], type };
    }),
    model: by?.model ?? null,
    status: status?.type ?? "",
  }));
}

const ferns = { thought: "Ferns come to mind." };

describeServer("an import from another chat product", {}, () => {
  test("adds Open WebUI's chats with branches, reasoning, calls, sources and pictures, once", async ({
    ada,
  }) => {
    const file = JSON.stringify([
      openWebUiChat("garden"),
      openWebUiChat("copy", { user_id: "shared-garden" }),
      openWebUiChat("task", { meta: { internal: true } }),
    ]);
    const report = await importFile(ada, file);
    expect(report.start).toMatchObject({ kind: "open-webui" });
    expect(report.threads).toMatchObject([
      { outcome: "added", title: "About garden", messages: 4, files: 2, missing_files: 0 },
    ]);
    const id = report.threads[0]!.thread_id!;
    const { thread } = await ada.call("threads.get", { params: { thread_id: id } });
    expect(thread).toMatchObject({
      is_archived: true,
      created_at: "2025-10-09T08:53:20.000Z",
      metadata: { imported_from: "open-webui" },
    });
    const question = [
      "What grows in the shade?",
      { type: "image", file: "leaf.png" },
      { type: "file", file: "plants.pdf.txt" },
    ];
    expect(await saidIn(ada, report)).toEqual([
      { role: "user", parent: -1, parts: question, model: null, status: "complete" },
      {
        role: "assistant",
        parent: 0,
        parts: [
          { thought: "Ferns & mosses come to mind." },
          { call: "search", args: { query: "ferns" }, result: "Found" },
          "Ferns [1].",
          { source: "https://ferns.example/" },
        ],
        model: "llama3:8b",
        status: "complete",
      },
      {
        role: "assistant",
        parent: 0,
        parts: [{ thought: "Moss?" }, { call: "look_up", args: { name: "moss" }, result: "a plant" }, "Moss"],
        model: "qwen3",
        status: "incomplete",
      },
      { role: "user", parent: 1, parts: ["And in the sun?"], model: null, status: "complete" },
    ]);
    const { scores, thread: exported } = await exportThread(ada, id);
    expect(exported.metadata).toMatchObject({ parlance: { tags: ["garden", "shade"] } });
    expect(scores).toMatchObject([{ name: "feedback", value: 1 }]);
    expect(outcomesOf(await importFile(ada, file))).toEqual(["unchanged"]);
  });

  test("says in a preview what it would add, and adds nothing", async ({ ada }) => {
    const file = JSON.stringify([openWebUiChat("garden")]);
    const preview = await importFile(ada, file, "?preview=true");
    expect(preview.threads).toMatchObject([
      { outcome: "added", messages: 4, files: 2, title: "About garden" },
    ]);
    expect(preview.end).toMatchObject({ added: 1, messages: 4 });
    expect((await ada.call("threads.list", {})).threads).toEqual([]);
    expect((await ada.call("files.list", {})).files).toEqual([]);
    await importFile(ada, file);
    const again = await importFile(ada, file, "?preview=true");
    expect(again.threads).toMatchObject([{ outcome: "unchanged", messages: 0, files: 0 }]);
  });

  test("adds LibreChat's conversation with branches, reasoning and calls, once", async ({ ada }) => {
    const file = JSON.stringify(libreChatConversation("shade"));
    const report = await importFile(ada, file);
    expect(report.start).toMatchObject({ kind: "librechat" });
    expect(await saidIn(ada, report)).toEqual([
      {
        role: "user",
        parent: -1,
        parts: ["What grows in the shade?", { type: "file", file: "notes.txt" }],
        model: null,
        status: "complete",
      },
      {
        role: "assistant",
        parent: 0,
        parts: [ferns, { call: "search", args: { query: "ferns" }, result: "Found" }, "Ferns."],
        model: "gpt-4o",
        status: "complete",
      },
      {
        role: "assistant",
        parent: 0,
        parts: [{ thought: "Moss?" }, "Moss."],
        model: "gpt-4o",
        status: "incomplete",
      },
    ]);
    expect(outcomesOf(await importFile(ada, file))).toEqual(["unchanged"]);
    // Several of them in a zip, beside other files.
    const zip = await zipped({
      "a.json": file,
      "b.json": JSON.stringify(libreChatConversation("sun")),
      "settings.json": "{}",
    });
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged", "added"]);
  });

  test("adds LobeChat's topics with side threads and tools, and no key of a provider", async ({ ada }) => {
    const file = JSON.stringify(lobeChatExport());
    const report = await importFile(ada, file);
    expect(report.start).toMatchObject({ kind: "lobechat" });
    expect(report.threads.map(({ title }) => title)).toEqual(["Gardener", "Shade"]);
    expect(await saidIn(ada, report, 1)).toMatchObject([{ role: "user", parts: ["Without a topic"] }]);
    expect(await saidIn(ada, report, 2)).toMatchObject([
      { role: "user", parent: -1, parts: ["What grows in the shade?"] },
      {
        role: "assistant",
        parent: 0,
        parts: [
          ferns,
          { call: "search_web", args: { query: "ferns" }, result: "Found" },
          "Ferns.",
          { source: "https://ferns.example/" },
        ],
        model: "gpt-4o",
      },
      { role: "user", parent: 1, parts: ["In a side thread"] },
    ]);
    expect(outcomesOf(await importFile(ada, file))).toEqual(["unchanged", "unchanged"]);
    const topic = {
      version: "2.0",
      exportedAt: "2026-01-01T00:00:00Z",
      title: "Shade",
      messages: lobeChatExport().data.messages,
    };
    expect((await importFile(ada, JSON.stringify(topic))).threads).toMatchObject([
      { outcome: "added", title: "Shade" },
    ]);
  });

  test("adds HuggingChat's conversations with branches, and each file once", async ({ ada }) => {
    const zip = await zipped({
      "conversations.json": JSON.stringify([huggingChatConversation("shade")]),
      "assistants.json": "[]",
      "file-shade-0badcafe.png": pictureBytes,
    });
    const report = await importFile(ada, zip);
    expect(report.start).toMatchObject({ kind: "huggingchat" });
    expect(report.threads).toMatchObject([{ files: 1, missing_files: 0 }]);
    expect(await saidIn(ada, report)).toMatchObject([
      {
        role: "user",
        parent: -1,
        parts: ["What grows in the shade?", { type: "image", file: "file-shade-0badcafe.png" }],
      },
      { role: "assistant", parent: 0, parts: [ferns, "Ferns."], model: "meta-llama/Llama-3.3-70B-Instruct" },
      { role: "assistant", parent: 0, parts: ["Moss"], status: "incomplete" },
    ]);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
  });

  test("adds DeepSeek's conversations with branches and reasoning", async ({ ada }) => {
    const zip = await zipped({
      "conversations.json": JSON.stringify([deepSeekConversation("shade")]),
      "user.json": "{}",
    });
    const report = await importFile(ada, zip);
    expect(report.start).toMatchObject({ kind: "deepseek" });
    expect(await saidIn(ada, report)).toMatchObject([
      { role: "user", parent: -1, parts: ["What grows in the shade?"] },
      { role: "assistant", parent: 0, parts: [ferns, "Ferns."], model: "deepseek-reasoner" },
      { role: "assistant", parent: 0, parts: ["Moss."] },
    ]);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
  });

  test("adds Le Chat's chats in the order of their times, with files and references", async ({ ada }) => {
    const id = "4f6d3c2b-1a09-4e8d-9c7b-6a5f4e3d2c1b";
    const zip = await zipped({
      [`chat-${id}.json`]: JSON.stringify(leChatMessages(id)),
      [`chat-${id}-files/leaf.png`]: pictureBytes,
    });
    const report = await importFile(ada, zip);
    expect(report.start).toMatchObject({ kind: "le-chat" });
    expect(report.threads).toMatchObject([{ files: 1, missing_files: 0 }]);
    expect(await saidIn(ada, report)).toMatchObject([
      { role: "user", parent: -1, parts: ["What grows in the shade?", { type: "image", file: "leaf.png" }] },
      {
        role: "assistant",
        parent: 0,
        parts: [
          { call: "web_search", args: { query: "ferns" } },
          "Ferns.",
          { source: "https://ferns.example/" },
        ],
      },
      { role: "assistant", parent: 0, parts: ["Moss."] },
    ]);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
  });

  test("adds Gemini's activity as chats between which half an hour was silent", async ({ ada }) => {
    const zip = await zipped({
      "Takeout/Meine Aktivitäten/Gemini-Apps/MeineAktivitäten.json": JSON.stringify(geminiActivity()),
      "Takeout/Meine Aktivitäten/Gemini-Apps/leaf.png": pictureBytes,
    });
    const report = await importFile(ada, zip);
    expect(report.start).toMatchObject({ kind: "gemini" });
    expect(report.threads.map(({ title }) => title)).toEqual(["What grows in the shade?", "And in the sun?"]);
    expect(await saidIn(ada, report)).toMatchObject([
      { role: "user", parent: -1, parts: ["What grows in the shade?"] },
      { role: "assistant", parent: 0, parts: ["### Ferns\n\nThey **do**."] },
      { role: "user", parent: 1, parts: ["More?", { type: "image", file: "leaf.png" }] },
      { role: "assistant", parent: 2, parts: ["-   Moss"] },
    ]);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged", "unchanged"]);
  });
});
