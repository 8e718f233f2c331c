import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { importFile, outcomesOf } from "../support/clients/transfer.ts";
import { chatGptConversation, claudeConversation, exportedMessage } from "../support/data/conversations.ts";
import { gardenPng, open } from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { zipped } from "../support/data/zips.ts";

const MiB = 1024 * 1024;
/** A second of silence as a WAV file. */
const wav = (() => {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + 800, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(800, 24);
  header.writeUInt32LE(800, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(800, 40);
  return Buffer.concat([header, Buffer.alloc(800, 128)]);
})();
/** Another picture: the same bytes with a suffix. */
const picture = (mark: string) => Buffer.concat([gardenPng, Buffer.from(mark)]);

const image = (pointer: string) => ({
  content_type: "image_asset_pointer",
  asset_pointer: pointer,
  size_bytes: 1,
});
const multimodal = (role: string, parts: unknown[], more: object = {}) => ({
  author: { role },
  content: { content_type: "multimodal_text", parts },
  ...more,
});

/** One of everything that a ChatGPT conversation can have as a file. */
const gallery = chatGptConversation("gallery", [
  multimodal("user", [image("file-service://file-Photo1"), "What is this?"], {
    metadata: {
      attachments: [
        { id: "file-Photo1", name: "garden.png", mime_type: "image/png", size: 1 },
        { id: "file-Notes1", name: "notes.txt", mime_type: "text/plain", size: 1 },
        { id: "file-Gone1", name: "gone.pdf", mime_type: "application/pdf", size: 1 },
      ],
    },
  }),
  exportedMessage("assistant", '{"prompt":"ferns"}', { recipient: "dalle.text2im" }),
  {
    ...multimodal("tool", [image("file-service://file-Drawn1")]),
    author: { role: "tool", name: "dalle.text2im" },
  },
  exportedMessage("assistant", "Ferns. [Download the list](sandbox:/mnt/data/list.csv)"),
  multimodal("user", [
    { content_type: "audio_transcription", text: "And this sound?", direction: "in" },
    {
      content_type: "real_time_user_audio_video_asset_pointer",
      frames_asset_pointers: [],
      video_container_asset_pointer: null,
      audio_asset_pointer: {
        content_type: "audio_asset_pointer",
        asset_pointer: "sediment://file_00000000aa11",
        format: "wav",
      },
    },
  ]),
  exportedMessage("assistant", "plot()", {
    recipient: "python",
    content: { content_type: "code", text: "plot()" },
  }),
  {
    author: { role: "tool", name: "python" },
    content: { content_type: "execution_output", text: "done" },
    metadata: {
      aggregate_result: {
        messages: [{ message_type: "image", image_url: "file-service://file-Plot1", width: 1, height: 1 }],
      },
    },
  },
  exportedMessage("assistant", "A plot. {{file:file-Report1}}", {
    metadata: { n7jupd_crefs: [{ type: "file", file_id: "file-Report1", file_name: "report.md" }] },
  }),
]);

const galleryFiles = {
  "file-Photo1-garden.png": gardenPng,
  "file-Notes1.dat": Buffer.from("Water the ferns."),
  "dalle-generations/file-Drawn1-01234567-89ab-4cde-8f01-23456789abcd.webp": picture("drawn"),
  "gallery/audio/file_00000000aa11-01234567-89ab-4cde-8f01-23456789abce.wav": wav,
  "user-x1/file-Plot1-01234567-89ab-4cde-8f01-23456789abcf.png": picture("plot"),
  "file-Report1-report.md": Buffer.from("# Report"),
  "file-Orphan1-nobody.png": picture("orphan"),
  "chat.html": "<html>",
};

async function partsIn(who: Visitor, threadId: string) {
  const { messages } = await who.call("messages.branch", { params: { thread_id: threadId } });
  return messages.map(({ content }) => content["content"] as Record<string, string>[]);
}

describeServer(
  "a file in another service's export",
  { settings: { FILE_SIZE_MIB: "1", FILES_PER_PERSON_MIB: "2" } },
  (server) => {
    test("becomes a file of its message, once, and what is missing is named", async ({ ada }) => {
      const zip = await zipped({
        ...galleryFiles,
        "conversations.json": JSON.stringify([gallery]),
        "conversation_asset_file_names.json": JSON.stringify({ "file-Notes1.dat": "notes.txt" }),
      });
      const { threads, end } = await importFile(ada, zip);
      expect(threads).toMatchObject([
        {
          outcome: "added",
          files: 6,
          missing_files: 2,
          missing_reasons: { "file-not-carried": 2 },
          missing: [{ name: "gone.pdf" }, { name: "list.csv" }],
        },
      ]);
      expect(end).toMatchObject({ files: 6, missing_files: 2, unused_files: 1 });
      expect(end).toMatchObject({ unused: ["file-Orphan1-nobody.png"] });

      const parts = await partsIn(ada, threads[0]!.thread_id!);
      expect(parts).toMatchObject([
        [
          { type: "image", filename: "garden.png" },
          { type: "text", text: "What is this?" },
          { type: "file", filename: "notes.txt", mimeType: "text/plain" },
          { type: "text", text: "(gone.pdf: a file that this import does not contain)" },
        ],
        [
          { type: "tool-call", toolName: "dalle.text2im", result: "" },
          { type: "image", filename: "Image.png" },
          { type: "text", text: "Ferns. Download the list" },
          { type: "text", text: "(list.csv: a file that this import does not contain)" },
        ],
        [
          { type: "text", text: "And this sound?" },
          { type: "file", filename: "File.wav", mimeType: expect.stringMatching(/^audio\//) as string },
        ],
        [
          { type: "tool-call", toolName: "python", result: "done" },
          { type: "image", filename: "Image.png" },
          { type: "text", text: "A plot. report.md" },
          { type: "file", filename: "report.md", mimeType: "text/markdown" },
        ],
      ]);
      const fileIn = (message: number, at: number) => {
        const { image: picture, data } = parts[message]![at]!;
        return (picture ?? data)!;
      };
      for (const [address, bytes] of [
        [fileIn(0, 0), gardenPng],
        [fileIn(1, 1), picture("drawn")],
        [fileIn(2, 1), wav],
        [fileIn(3, 1), picture("plot")],
      ] as const) {
        const url = new URL(address, ada.url).href;
        expect((await open(url, ada.headers)).bytes.equals(bytes)).toBe(true);
        expect((await open(url, server().inNewWorkspace("eve").headers)).status).toBe(404);
      }

      expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
      expect((await ada.call("files.list")).files).toHaveLength(6);
    });

    test("is added to the messages that an earlier import without it left, unless they were changed", async () => {
      const [ada, ben] = [server().inNewWorkspace("ada-later"), server().inNewWorkspace("ben-at-once")];
      const list = JSON.stringify([gallery]);
      const zip = await zipped({ ...galleryFiles, "conversations.json": list });
      const [atOnce] = (await importFile(ben, zip)).threads;
      const [before] = (await importFile(ada, list)).threads;
      const { messages } = await ada.call("messages.branch", { params: { thread_id: before!.thread_id! } });
      const changed = messages[2]!;
      await ada.call("messages.update", {
        params: { thread_id: before!.thread_id!, message_id: changed.id },
        body: { content: { role: "user", content: [{ type: "text", text: "My words" }] } },
      });

      const [after] = (await importFile(ada, zip)).threads;
      expect(after).toMatchObject({ outcome: "updated", messages: 0, files: 5 });
      expect(after!.thread_id).toBe(before!.thread_id);
      const kinds = async (who: Visitor, id: string) =>
        (await partsIn(who, id)).map((parts) =>
          parts.map(({ type, text, filename }) => [type, filename ?? text]),
        );
      const expected = await kinds(ben, atOnce!.thread_id!);
      expected[2] = [["text", "My words"]];
      expect(await kinds(ada, after!.thread_id!)).toEqual(expected);
      const [[photo]] = (await partsIn(ada, after!.thread_id!)) as [[{ image: string }]];
      expect((await open(new URL(photo.image, ada.url).href, ada.headers)).bytes.equals(gardenPng)).toBe(
        true,
      );
      expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
    });

    test("that is too large, over the quota or damaged is named, and the rest is imported", async () => {
      const ada = server().inNewWorkspace("cleo");
      const sizes = { large: MiB + 1, first: MiB, second: MiB - 5_000, third: 9_000, last: 4_000 };
      const files = Object.entries(sizes).map(([name, size]) => [
        `file-${name}-${name}.bin`,
        randomBytes(size),
      ]);
      const attachments = Object.keys(sizes).map((name) => ({ id: `file-${name}`, name: `${name}.bin` }));
      const zip = await zipped({
        ...(Object.fromEntries(files) as Record<string, Buffer>),
        "conversations.json": JSON.stringify([
          chatGptConversation("storage", [
            exportedMessage("user", "Keep these", { metadata: { attachments } }),
          ]),
        ]),
      });
      const { threads } = await importFile(ada, zip);
      expect(threads).toMatchObject([
        { outcome: "added", files: 3, missing_reasons: { "file-too-large": 1, "quota-full": 1 } },
      ]);
      expect(threads[0]!.missing.map(({ name, error }) => [name, error.code])).toEqual([
        ["large.bin", "file-too-large"],
        ["third.bin", "quota-full"],
      ]);
      const [parts] = await partsIn(ada, threads[0]!.thread_id!);
      expect(parts!.map(({ type, text, filename }) => text ?? [type, filename])).toEqual([
        "Keep these",
        "(large.bin: a file that this import does not contain)",
        ["file", "first.bin"],
        ["file", "second.bin"],
        "(third.bin: a file that this import does not contain)",
        ["file", "last.bin"],
      ]);
    });

    test("comes from Claude with the text of attachments, by its id or by its name", async () => {
      const ada = server().inNewWorkspace("dora");
      const id = "0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f";
      const letters = claudeConversation("letters", [
        {
          content: [{ type: "text", text: "Look" }],
          attachments: [
            { file_name: "plan.pdf", file_type: "pdf", extracted_content: "Dig." },
            { file_name: "", file_type: "txt", extracted_content: "Pasted words" },
          ],
          files: [{ file_name: "photo.png" }, { file_name: "gone.png" }],
          files_v2: [
            { file_kind: "image", file_uuid: id, file_name: "photo.png" },
            { file_kind: "image", file_uuid: id.replace("0a", "1a"), file_name: "gone.png" },
          ],
        },
        {
          content: [
            { type: "tool_use", id: "t", name: "draw", input: {} },
            {
              type: "tool_result",
              tool_use_id: "t",
              name: "draw",
              content: [
                {
                  type: "image",
                  source: { type: "base64", media_type: "image/png", data: gardenPng.toString("base64") },
                },
              ],
            },
          ],
        },
      ]);
      const zip = await zipped({
        "export/conversations.json": JSON.stringify([letters]),
        [`export/files/${id}/photo.png`]: picture("photo"),
      });
      const { start, threads } = await importFile(ada, zip);
      expect(start).toMatchObject({ kind: "claude" });
      expect(threads).toMatchObject([{ outcome: "added", files: 4, missing: [{ name: "gone.png" }] }]);
      const [question, answer] = await partsIn(ada, threads[0]!.thread_id!);
      expect(question).toMatchObject([
        { type: "text", text: "Look" },
        { type: "file", filename: "plan.pdf.txt", mimeType: "text/plain" },
        { type: "file", filename: "pasted.txt" },
        { type: "image", filename: "photo.png" },
        { type: "text", text: "(gone.png: a file that this import does not contain)" },
      ]);
      expect(answer).toMatchObject([{ type: "tool-call", result: "" }, { type: "image" }]);
      const { text } = await open(new URL(question![1]!["data"]!, ada.url).href, ada.headers);
      expect(text).toBe("Dig.");
      expect(outcomesOf(await importFile(ada, zip))).toEqual(["unchanged"]);
    });

    test("is not read when it is encrypted or a bomb, and the thread is imported", async () => {
      const ada = server().inNewWorkspace("emil");
      const attachments = [{ id: "file-Bomb1", name: "bomb.bin" }];
      const zip = await zipped({
        "file-Bomb1-bomb.bin": Buffer.alloc(30 * MiB),
        "conversations.json": JSON.stringify([
          chatGptConversation("bomb", [exportedMessage("user", "Open this", { metadata: { attachments } })]),
        ]),
      });
      const { threads } = await importFile(ada, zip);
      expect(threads).toMatchObject([
        { outcome: "added", missing: [{ name: "bomb.bin", error: { code: "import-unsafe" } }] },
      ]);
    });
  },
);
