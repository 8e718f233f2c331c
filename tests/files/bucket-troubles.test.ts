import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, vi } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { paragraph, wordDocument } from "#fixtures/office/documents.ts";
import { document, line } from "#fixtures/pdf/write.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { attach, gardenPng, open, requestUpload, put } from "../support/data/files.ts";
import { startS3Proxy, type S3Proxy } from "../support/s3/s3-proxy.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { s3LocationOf, storeSettings, stores } from "../support/servers/stores.ts";
import { readWholeLog } from "../support/clients/conversation.ts";
import { modelInputOf, unreadFilesOf } from "../support/data/model-input.ts";

const isKept = (path: string) => path.includes("/kept/");
const coming = (method: string, path: string) => method === "PUT" && isKept(path);
const going = (method: string, path: string) => method === "GET" && isKept(path);

describe.runIf(stores.includes("s3"))("a bucket with failures", async () => {
  const behind = stores.includes("s3") ? await storeSettings("s3") : {};
  const settings: Record<string, string> = { MODEL_READS: "image", ...behind };
  let proxy: S3Proxy;
  beforeAll(async () => {
    proxy = await startS3Proxy(behind.S3_ENDPOINT!);
    settings.S3_ENDPOINT = proxy.endpoint;
  });
  afterAll(() => proxy.close());

  describeServer("stores files", { on: ["sqlite"], model: true, settings }, (server) => {
    afterEach(() => {
      proxy.inject();
      expectOnlyOfBucket(server().log.takeErrors());
    });
    const bytes = randomBytes(300_000);
    const declared = { filename: "a.bin", content_length: bytes.length };

    test("after it was busy: the request is repeated", async () => {
      const { publicUrl } = await attach(server().inNewWorkspace(), "a.bin", bytes);
      let refused = 0;
      proxy.inject({ status: 503, code: "SlowDown" }, (method, path) => going(method, path) && refused++ < 2);
      expect((await open(publicUrl)).bytes.equals(bytes)).toBe(true);
      expect(refused).toBeGreaterThanOrEqual(2);
    });

    test("after it was unreachable: nothing is lost, and requests get an error meanwhile", async () => {
      const ada = server().inNewWorkspace();
      const before = await attach(ada, "before.bin", bytes);
      const meanwhile = await requestUpload(ada, { filename: "meanwhile.bin" });
      proxy.inject({ status: 503 });
      for (const answer of [await put(meanwhile.signedUrl, bytes), await fetch(before.publicUrl)]) {
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
        expect(await answer.json()).toMatchObject({ code: "maintenance" });
      }
      proxy.inject();
      expect((await open(before.publicUrl)).bytes.equals(bytes)).toBe(true);
      expect((await open(meanwhile.publicUrl)).status).toBe(404);
      expect((await put(meanwhile.signedUrl, bytes)).status).toBe(200);
      expect((await open(meanwhile.publicUrl)).bytes.equals(bytes)).toBe(true);
    });

    test("after it was full: files are accepted when there is room", async ({ ada }) => {
      const [sent, direct] = [
        await requestUpload(ada, { filename: "a.bin" }),
        await requestUpload(ada, declared),
      ];
      expect((await put(direct.signedUrl, bytes)).status).toBe(200);
      proxy.inject({ status: 507 }, coming);
      for (const answer of [await put(sent.signedUrl, bytes), await fetch(direct.publicUrl)])
        expect([answer.status, await answer.json()]).toMatchObject([507, { code: "storage-full" }]);
      // The library has the file's metadata.
      expect((await ada.call("files.list")).files).toEqual([]);
      proxy.inject();
      expect((await open(direct.publicUrl)).bytes.equals(bytes)).toBe(true);
      expect((await put(sent.signedUrl, bytes)).status).toBe(200);
      expect((await open(sent.publicUrl)).bytes.equals(bytes)).toBe(true);
    });

    test("although a transfer is cut: half a file is never stored as complete", async () => {
      const { publicUrl } = await attach(server().inNewWorkspace(), "a.bin", bytes);
      proxy.inject({ cutAfterBytes: 100_000 }, going);
      const answer = await fetch(publicUrl);
      expect(answer.status).toBe(200);
      await expect(answer.arrayBuffer()).rejects.toThrow();
      proxy.inject();
      expect((await open(publicUrl)).bytes.equals(bytes)).toBe(true);
    });

    test("although its answer was lost: the file can be sent again and is stored once", async ({ ada }) => {
      const own = randomBytes(1_000);
      const { signedUrl, publicUrl, file_id: id } = await requestUpload(ada, { filename: "a.bin" });
      proxy.inject({ cutAfterBytes: -1 }, coming);
      expect((await put(signedUrl, own)).status).toBe(503);
      proxy.inject();
      expect((await put(signedUrl, own)).status).toBe(200);
      expect((await open(publicUrl)).bytes.equals(own)).toBe(true);
      const blobs = await openBlobs({ dataDir: "", s3: s3LocationOf(behind) });
      const copies = async () =>
        (await Array.fromAsync(blobs.list("kept/"))).filter(({ key }) => key.includes(id)).length;
      expect(await copies()).toBe(2);
      await vi.waitFor(
        async () => {
          server().clock.advance(10 * 60_000);
          expect(await copies()).toBe(1);
        },
        { timeout: 10_000, interval: 50 },
      );
      expect((await open(publicUrl)).bytes.equals(own)).toBe(true);
    });

    test.each([
      ["away", { status: 500 }],
      ["broken off in the middle", { cutAfterBytes: 10 }],
    ])(
      "although it is %s during an answer: the model and the person get a note, and the answer completes",
      async (_, trouble) => {
        const ada = server().inNewWorkspace();
        const files: [string, string | Uint8Array][] = [
          ["notes.txt", "Water the roses on Monday."],
          ["lease.pdf", document([{ content: line("The rent is due on Friday") }])],
          ["plan.docx", wordDocument(paragraph("The gate is painted on Sunday"))],
          // Another file each time, because extracted texts are cached.
          ["garden.png", Buffer.concat([gardenPng, randomBytes(8)])],
        ];
        const parts = [];
        for (const [filename, bytes] of files) {
          const { publicUrl: data } = await attach(ada, filename, bytes);
          parts.push({ type: "file", data, mimeType: "application/octet-stream", filename });
        }
        proxy.inject(trouble, going);
        const text = `What is in it? ${crypto.randomUUID()} tokens=2`;
        const thread_id = newId("thread");
        const started = await ada.call("runs.start", {
          params: { thread_id },
          body: {
            message: {
              parent_id: null,
              content: { role: "user", content: [{ type: "text", text }, ...parts] },
            },
          },
        });
        const reply = fold(await readWholeLog(ada, started.run_id));
        expect(reply.end?.state).toBe("completed");
        expect(unreadFilesOf(reply.parts)).toEqual(files.map(([name]) => ({ name, reason: "away" })));
        proxy.inject();
        const again = await ada.call("runs.start", {
          params: { thread_id },
          body: { parent_id: started.message_id },
        });
        await readWholeLog(ada, again.run_id);
        const { texts, pictures } = modelInputOf((await server().requestsWith(text)).at(-1)!);
        for (const words of ["Water the roses on Monday", "The rent is due on Friday", "painted on Sunday"])
          expect(texts).toContain(words);
        expect(pictures.length).toBeGreaterThan(0);
      },
    );
  });
});

/** The log has errors of the bucket only. */
function expectOnlyOfBucket(errors: string[]): void {
  expect(errors.filter((line) => !/S3 service|disk is full/.test(line))).toEqual([]);
}
