import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import {
  exportedFile,
  exportedMessage,
  exportedPrompts,
  exportedScore,
  exportedThread,
  exportManifest,
  serverExportManifest,
} from "#contract/endpoints/exports.ts";
import { answeredBy, messageStatus } from "#contract/endpoints/messages.ts";
import { prompt } from "#contract/prompts/endpoints.ts";
import { attach, gardenPng } from "../support/data/files.ts";
import { unzipped } from "../support/data/zips.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { exportAll } from "../support/clients/transfer.ts";
import { describeServer, test } from "../support/servers/server.ts";

/** Every field of the format, by where it is. */
const fields: Record<string, readonly string[]> = Object.fromEntries(
  Object.entries({
    manifest: exportManifest,
    file: exportedThread,
    thread: exportedThread.shape.thread,
    message: exportedMessage,
    madeBy: answeredBy,
    status: messageStatus,
    score: exportedScore,
    attached: exportedFile,
    prompts: exportedPrompts,
    prompt,
    everyone: serverExportManifest,
    exportOfOne: serverExportManifest.shape.exports.def.element,
  }).map(([name, { shape }]) => [name, Object.keys(shape)]),
);
/** Values and names that the page mentions beside the fields. */
const otherWords = ["person", "model", "fallback", "user", "assistant", "system", "feedback", "kind"];

describeServer("docs/export-format.md", {}, () => {
  test("describes every field of an export, and no others", async ({ eve }) => {
    const page = await readFile(new URL("../../docs/export-format.md", import.meta.url), "utf8");
    const [described = ""] = page.split("\n## Importing");
    const words = new Set([...described.matchAll(/`([a-z][a-z_\d]*)`/g)].map(([, word]) => word!));
    const all = new Set(Object.values(fields).flat());
    expect([...all].filter((field) => !words.has(field))).toEqual([]);
    expect([...words].filter((word) => !all.has(word) && !otherWords.includes(word))).toEqual([]);

    // And these are the fields of a real export.
    const told = await sendAndWait(eve, "What grows in the shade?");
    const picture = await attach(eve, "garden.png", gardenPng, "image/png");
    await eve.call("messages.feedback", {
      params: { thread_id: told.thread_id, message_id: told.reply_id },
      body: { type: "positive" },
    });
    await eve.call("messages.add", {
      params: { thread_id: told.thread_id },
      body: {
        parent_id: told.reply_id,
        format: "aui/v0",
        content: { role: "user", content: [{ type: "image", image: picture.publicUrl }] },
      },
    });
    const files = await unzipped(await exportAll(eve));
    const json = (name: RegExp) => {
      const found = [...files].find(([path]) => name.test(path));
      return JSON.parse(String(found?.[1])) as Record<string, object[]>;
    };
    const keysOf = (value: object) => Object.keys(value).toSorted();
    const expected = (name: string) => fields[name]!.toSorted();
    expect(keysOf(json(/^manifest\.json$/))).toEqual(expected("manifest"));
    const file = json(/^threads\/.*\.json$/);
    expect(keysOf(file)).toEqual(expected("file"));
    expect(keysOf(file["thread"]!)).toEqual(expected("thread"));
    expect(keysOf(file["scores"]![0]!)).toEqual(expected("score"));
    expect(keysOf(file["files"]![0]!)).toEqual(expected("attached"));
    for (const message of file["messages"]!) expect(keysOf(message)).toEqual(expected("message"));
  });
});
