import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, vi } from "vitest";
import { document } from "#fixtures/pdf/write.ts";
import { storeFile } from "../search/store-files.ts";
import { exportAll, importFile } from "../support/clients/transfer.ts";
import { attach, gardenPng, open, requestUpload, put } from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { canMountDisks, mountSmallDisk } from "../support/servers/small-disk.ts";
import { sendAndWait } from "../support/clients/conversation.ts";

const MiB = 1024 * 1024;
const undo: (() => void)[] = [];

describe.skipIf(!canMountDisks())("a full disk (mounting one requires root)", () => {
  describeServer(
    "the files",
    {
      on: ["sqlite"],
      model: true,
      seed: async ({ dataDir }) => void undo.push(mountSmallDisk(join(dataDir, "files"), 4)),
    },
    (server) => {
      afterAll(() => {
        for (const each of undo.splice(0)) each();
      });

      const folder = () => join(server().place.dataDir, "files");
      const kept = async () =>
        (await readdir(folder(), { recursive: true })).filter((name) => /file_/.test(name));
      const untilLeft = async (count: number) =>
        await vi.waitFor(
          async () => {
            server().clock.advance(60_000);
            expect(await kept()).toHaveLength(count);
          },
          { timeout: 10_000, interval: 20 },
        );
      /** What the log has about it. */
      const told = () => {
        const errors = server().log.takeErrors();
        expect(errors.filter((line) => !/ENOSPC|disk is full|no space/i.test(line))).toEqual([]);
        return errors.length;
      };

      test("can be stored when there is room, and existing ones stay intact", async ({ ada }) => {
        const bytes = randomBytes(2 * MiB);
        const first = await attach(ada, "first.bin", bytes);
        const before = await kept();
        const second = await requestUpload(ada, { filename: "second.bin" });
        const refused = await put(second.signedUrl, randomBytes(3 * MiB));
        expect([refused.status, await refused.json()]).toMatchObject([507, { code: "storage-full" }]);
        expect(told()).toBeGreaterThan(0);
        expect(await kept()).toEqual(before);
        expect(await readdir(join(folder(), ".unfinished"))).toEqual([]);
        expect((await open(second.publicUrl)).status).toBe(404);
        expect((await open(first.publicUrl)).bytes.equals(bytes)).toBe(true);
        expect((await ada.call("files.list")).used_bytes).toBe(bytes.length);

        // Chats work meanwhile.
        const { reply } = await sendAndWait(ada, `About ${first.publicUrl} tokens=2`);
        expect(reply.end?.state).toBe("completed");

        const small = await attach(ada, "small.txt", "There is room for this");
        expect((await open(small.publicUrl)).text).toBe("There is room for this");
        await ada.call("files.remove", { params: { file_id: first.file_id } });
        await untilLeft(1);
        expect((await put(second.signedUrl, bytes)).status).toBe(200);
        expect((await open(second.publicUrl)).bytes.equals(bytes)).toBe(true);
        await ada.call("files.remove", { params: { file_id: second.file_id } });
        await untilLeft(1);
      });

      test("of an import end it, and are imported by the next import with room", async () => {
        const [ada, ben] = [server().inNewWorkspace(), server().inNewWorkspace("ben")];
        const before = (await kept()).length;
        const large = await storeFile(ada, "large.bin", randomBytes(1.5 * MiB), { title: "Large" });
        await storeFile(ada, "small.txt", "Small", { title: "Small" });
        const zip = await exportAll(ada);
        const filling = await attach(ada, "filling.bin", randomBytes(1.5 * MiB));
        const answer = await ben.send("POST", "/v1/import", {
          body: zip as never,
          headers: { "Content-Type": "application/octet-stream" },
        });
        expect(told()).toBeGreaterThan(0);
        expect(answer.text).toContain('"code":"storage-full"');
        expect(answer.text).not.toContain("import-end");
        expect(await readdir(join(folder(), ".unfinished"))).toEqual([]);
        expect((await open(filling.publicUrl)).status).toBe(200);

        await ada.call("files.remove", { params: { file_id: filling.file_id } });
        await ada.call("files.remove", { params: { file_id: large.fileId } });
        await untilLeft(before + 1);
        const { threads } = await importFile(ben, zip);
        expect(threads.map(({ files, missing_files: missing }) => [files, missing])).toEqual([
          [1, 0],
          [1, 0],
        ]);
      });

      test("have no thumbnails and pages while there is no room, and the errors say so", async ({ ada }) => {
        const picture = await attach(ada, "garden.png", gardenPng);
        const pdf = await attach(ada, "lease.pdf", document([{}]));
        for (let size = MiB; size >= 512; size /= 2)
          for (;;) {
            const more = await requestUpload(ada, { filename: "more.bin" });
            if ((await put(more.signedUrl, randomBytes(size))).status !== 200) break;
          }
        told();
        const params = { file_id: picture.file_id };
        await ada.fails("storage-full", "files.thumbnail", { params });
        const body = { file_url: pdf.publicUrl };
        await ada.fails("storage-full", "files.pdfToImages", { body });
        expect(told()).toBeGreaterThan(0);
        expect((await open(picture.publicUrl)).bytes.equals(gardenPng)).toBe(true);
      });
    },
  );
});
