import { createHash, randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { ZipFile } from "yazl";
import { newId } from "#contract/ids.ts";
import { exportThread, importFile } from "../support/clients/transfer.ts";
import { attach, gardenPng, open } from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { manifest, renamed, zipped } from "../support/data/zips.ts";

const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const MiB = 1024 * 1024;

type Described = Record<string, unknown> & { id: string };

const described = (bytes: Uint8Array, more: object = {}): Described => ({
  id: newId("file"),
  name: "garden.png",
  size_bytes: bytes.length,
  sha256: sum(bytes),
  path: "files/a.png",
  ...more,
});

/** A thread with one message for each file, which mentions it. */
const threadWith = (files: Described[], mentioned = files.map(({ id }) => id)) =>
  JSON.stringify({
    format: "parlance-thread",
    version: 1,
    thread: { id: newId("thread"), title: "With files" },
    files,
    messages: mentioned.map((id, index) => ({
      id: `m${index}`,
      parent_id: null,
      role: "user",
      format: "aui/v0",
      created_at: "2026-01-31T12:00:00.000Z",
      content: { role: "user", content: [{ type: "image", image: `/v1/files/${id}/content` }] },
    })),
  });

const zipWith = async (thread: string, files: Record<string, Buffer> = {}) =>
  await zipped({ "threads/a.json": thread, ...files, "manifest.json": manifest });

const filesOf = async (who: Visitor) => (await who.call("files.list")).files;

/** The result for the one thread: its outcome, the number of imported files, and the errors of the others. */
async function importResult(who: Visitor, zip: Uint8Array | string) {
  const [thread] = (await importFile(who, zip)).threads;
  const { outcome, files, missing, error } = thread!;
  return [error?.details?.[0]?.path ?? outcome, files, ...missing.map((each) => each.error.code)];
}

describeServer(
  "a file of an import",
  { settings: { FILE_SIZE_MIB: "1", FILES_PER_PERSON_MIB: "2" } },
  (server) => {
    test("has the type of its bytes, and must have the declared size and checksum", async ({ ada }) => {
      const files = { "files/a.png": gardenPng };
      const good = described(gardenPng, { type: "text/html" });
      expect(await importResult(ada, await zipWith(threadWith([good]), files))).toEqual(["added", 1]);
      expect(await filesOf(ada)).toMatchObject([{ name: "garden.png", type: "image/png" }]);

      const ben = server().inNewWorkspace("ben");
      for (const lie of [
        { size_bytes: 1 },
        { size_bytes: gardenPng.length + 1 },
        { sha256: sum(Buffer.from("x")) },
      ])
        expect(
          await importResult(ben, await zipWith(threadWith([described(gardenPng, lie)]), files)),
        ).toEqual(["added", 0, "import-damaged"]);
      for (const [field, value] of Object.entries({ size_bytes: -1, sha256: "../../etc", name: "", id: 7 }))
        expect(
          await importResult(
            ben,
            await zipWith(threadWith([described(gardenPng, { [field]: value })]), files),
          ),
        ).toEqual([`files.0.${field}`, 0]);
      expect(await filesOf(ben)).toEqual([]);
    });

    test("is read only from files/ of the zip", async ({ ada }) => {
      const bytes = Buffer.from(threadWith([]));
      for (const path of [
        "threads/a.json",
        "manifest.json",
        "../../etc/passwd",
        "/etc/passwd",
        "files/../threads/a.json",
        "files/deeper/a.png",
        "FILES/a.png",
        "__proto__",
        "",
        null,
      ]) {
        const zip = await zipWith(threadWith([described(bytes, { path })]), { "files/deeper/a.png": bytes });
        expect(await importResult(ada, zip), String(path)).toEqual(["added", 0, "file-not-carried"]);
      }
      expect(await filesOf(ada)).toEqual([]);
    });

    test("is imported only if a message mentions it, and only once", async ({ ada }) => {
      const [spoken, silent] = [described(gardenPng), described(gardenPng)];
      const zip = await zipWith(threadWith([spoken, silent], [spoken.id]), { "files/a.png": gardenPng });
      expect(await importResult(ada, zip)).toEqual(["added", 1]);
      expect(await importResult(ada, zip)).toEqual(["unchanged", 0]);
      expect(await filesOf(ada)).toHaveLength(1);
    });

    test("is added to a message that an earlier import without it left", async ({ ada }) => {
      const thread = threadWith([described(gardenPng)]);
      expect(await importResult(ada, thread)).toEqual(["added", 0, "file-not-carried"]);
      const zip = await zipWith(thread, { "files/a.png": gardenPng });
      expect(await importResult(ada, zip)).toEqual(["updated", 1]);
      const [file] = await filesOf(ada);
      expect((await open(file!.url)).bytes.equals(gardenPng)).toBe(true);
      expect(file!.threads).toMatchObject([{ title: "With files" }]);
      expect(await importResult(ada, zip)).toEqual(["unchanged", 0]);
    });

    test("of another person cannot be read or changed by its id", async () => {
      const [ada, ben] = [server().inNewWorkspace(), server().inNewWorkspace("ben")];
      const hers = await attach(ada, "hers.png", gardenPng);
      const forged = Buffer.from("Ben's own bytes");
      const withHerId = described(gardenPng, { id: hers.file_id, path: null });
      expect(await importResult(ben, await zipWith(threadWith([withHerId])))).toEqual([
        "added",
        0,
        "file-not-carried",
      ]);
      const other = described(forged, { id: hers.file_id });
      expect(await importResult(ben, await zipWith(threadWith([other]), { "files/a.png": forged }))).toEqual([
        "added",
        1,
      ]);
      expect((await open(hers.publicUrl)).bytes.equals(gardenPng)).toBe(true);
      const [bens] = await filesOf(ben);
      expect(bens!.id).not.toBe(hers.file_id);
      expect((await open(bens!.url)).text).toBe("Ben's own bytes");
      // With the same id and other bytes it is another file, also in her own workspace.
      expect(await importResult(ada, await zipWith(threadWith([other]), { "files/a.png": forged }))).toEqual([
        "added",
        1,
      ]);
      expect((await open(hers.publicUrl)).bytes.equals(gardenPng)).toBe(true);
    });

    test("gets a new URL, so that the author of the export cannot open it", async ({ ada }) => {
      const file = described(gardenPng);
      const known = `https://evil.example/chat/v1/content/${file.id}/0123456789abcdefghjkmnpqrs.png`;
      const thread = threadWith([file]).replace(`/v1/files/${file.id}/content`, known);
      const report = await importFile(ada, await zipWith(thread, { "files/a.png": gardenPng }));
      const [message] = (await exportThread(ada, report.threads[0]!.thread_id!)).messages;
      const [{ image }] = message!.content["content"] as [{ image: string }];
      expect(image).toMatch(new RegExp(String.raw`^${ada.url}/v1/content/file_0\w{24}/\w{26}\.png$`));
      expect(image).not.toContain(file.id);
      expect(image).not.toContain("0123456789abcdefghjkmnpqrs");
      expect((await open(image)).bytes.equals(gardenPng)).toBe(true);
    });

    test("is read once, even if it is described several times", async ({ ada }) => {
      const right = Array.from({ length: 3 }, () => described(gardenPng));
      expect(await importResult(ada, await zipWith(threadWith(right), { "files/a.png": gardenPng }))).toEqual(
        ["added", 3],
      );
      const wrong = Array.from({ length: 3 }, (_, at) =>
        described(gardenPng, { sha256: sum(Buffer.from([at])) }),
      );
      expect(await importResult(ada, await zipWith(threadWith(wrong), { "files/a.png": gardenPng }))).toEqual(
        ["added", 0, "import-damaged", "file-not-carried", "file-not-carried"],
      );
    });

    test("that exceeds the limit or the quota is reported, and the next is imported", async ({ ada }) => {
      const [large, ...fitting] = [MiB + 1, MiB, MiB - 5_000, 4_000, 4_000].map((size) => randomBytes(size));
      const packed = [large!, ...fitting];
      const files = packed.map((bytes, at) => described(bytes, { path: `files/${at}` }));
      const entries = Object.fromEntries(packed.map((bytes, at) => [`files/${at}`, bytes]));
      expect(await importResult(ada, await zipWith(threadWith(files), entries))).toEqual([
        "added",
        3,
        "file-too-large",
        "quota-full",
      ]);
      expect(await filesOf(ada)).toHaveLength(3);
    });

    test("with a wrong checksum in the zip is not imported", async ({ ada }) => {
      const words = Buffer.from("the original words");
      const zip = new ZipFile();
      zip.addBuffer(Buffer.from(threadWith([described(words)])), "threads/a.json");
      zip.addBuffer(words, "files/a.png", { compress: false });
      zip.addBuffer(Buffer.from(manifest), "manifest.json");
      zip.end();
      const forged = renamed(await buffer(zip.outputStream as never), {
        "the original words": "the forged words !",
      });
      expect(await importResult(ada, forged)).toEqual(["added", 0, "import-damaged"]);
    });
  },
);
