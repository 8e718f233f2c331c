import { readdir } from "node:fs/promises";
import { describe, expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { document, line } from "#fixtures/pdf/write.ts";
import { userMessage } from "#fixtures/people.ts";
import { storeFile, mentionFile } from "./search/store-files.ts";
import { exportAll, importFile } from "./support/clients/transfer.ts";
import { attach, gardenPng, open, requestUpload, put } from "./support/data/files.ts";
import { describeServer, test, type TestServer } from "./support/servers/server.ts";
import { enginesWith, stores, storeSettings } from "./support/servers/stores.ts";
import { startRun, sendAndWait, readWholeLog } from "./support/clients/conversation.ts";
import { modelInputOf } from "./support/data/model-input.ts";
import type { Visitor } from "./support/clients/visitor.ts";
import { manifest, renamed, unzipped, zipped } from "./support/data/zips.ts";

/**
 * Vulnerabilities of other chat assistants in their handling of files, each with the number under which it was
 * published.
 */

const secret = "The vault opens with marzipan.";
const MiB = 1024 * 1024;
/** 10 s, because the text of a file is extracted in the background. */
const waitOptions = { timeout: 10_000, interval: 20 };

/** A thread of one message, as exported. */
const threadJson = (text: string) =>
  JSON.stringify({
    format: "parlance-thread",
    version: 1,
    thread: { id: newId("thread"), title: text },
    files: [],
    messages: [{ id: "m", parent_id: null, role: "user", format: "aui/v0", content: userMessage(text) }],
  });

/** People who are not Ada and share no workspace with her. */
async function outsiders(server: TestServer): Promise<Visitor[]> {
  return [server.inNewWorkspace("eve"), await server.anonymous("mallory")];
}

describe.for(stores)("on %s", async (store) => {
  const settings = {
    MODEL_READS: "image",
    FILE_SIZE_MIB: "1",
    FILES_PER_PERSON_MIB: "2",
    ...(await storeSettings(store)),
  };

  describeServer("a known attack on files", { on: enginesWith(store), model: true, settings }, (server) => {
    const foldersOf = async (place: string) =>
      (await readdir(place, { recursive: true })).filter((name) => /evil|passwd|cron/.test(name));

    describe("a name with a path", () => {
      const evil = [
        "../../../../tmp/evil.json",
        "..\\..\\..\\..\\evil.json",
        "/tmp/evil/a/b/c/d/e.json",
        "C:\\Windows\\evil\\sys.json",
        "threads/../../../evil.json",
        "threads/evil\0/a/b/c/d.json",
        "threads/%2e%2e/evil/a.json",
        "files/../../evil/a/b/c.json",
      ];

      test("CVE-2026-24478, CVE-2026-32719: in a zip is never written outside of it", async ({ ada }) => {
        for (const name of evil) {
          const placeholder = "threads/".padEnd(name.length - 5, "x") + ".json";
          const zip = await zipped({
            [placeholder]: threadJson("From outside"),
            "threads/good.json": threadJson("From inside"),
            "manifest.json": manifest,
          });
          const { status, text } = await ada.send("POST", "/v1/import", {
            body: renamed(zip, { [placeholder]: name }) as never,
            headers: { "Content-Type": "application/octet-stream" },
          });
          expect(status, name).toBeLessThan(500);
          expect(text, name).not.toContain("From outside");
        }
        expect(await foldersOf(server().place.dataDir)).toEqual([]);
        expect((await ada.call("threads.list")).threads.map(({ title }) => title)).not.toContain(
          "From outside",
        );
      });

      test("CVE-2026-24478, CVE-2026-32719: of a file or a title is a plain name in an export", async () => {
        const ada = server().inNewWorkspace();
        for (const name of evil) await storeFile(ada, name, `What ${name} holds`, { title: name });
        const names = [...(await unzipped(await exportAll(ada))).keys()];
        expect(names.filter((name) => name.startsWith("files/"))).toHaveLength(evil.length);
        for (const name of names) {
          expect(name).not.toMatch(/^[/\\]|\\|\0|:|(^|\/)\.{1,2}(\/|$)/);
          expect(name.split("/").length).toBeLessThanOrEqual(2);
        }
        expect(await foldersOf(server().place.dataDir)).toEqual([]);
      });
    });

    describe("a way to add files with weaker checks", () => {
      const page = "<!doctype html><script>alert(1)</script>";

      /** Adds one file in each way, as `who`, and returns the ids. */
      async function byEachWay(who: Visitor, bytes: Buffer): Promise<string[]> {
        const uploaded = await attach(who, "cat.png", bytes, "image/png").catch(() => undefined);
        const described = {
          id: newId("file"),
          name: "cat.png",
          type: "image/png",
          size_bytes: bytes.length,
          sha256: Buffer.from(await crypto.subtle.digest("SHA-256", bytes as never)).toString("hex"),
          path: "files/a.png",
        };
        const thread = JSON.parse(threadJson("With a file")) as { files: unknown[]; messages: object[] };
        thread.files = [described];
        thread.messages = [
          {
            ...thread.messages[0],
            content: {
              role: "user",
              content: [{ type: "image", image: `/v1/files/${described.id}/content` }],
            },
          },
        ];
        await importFile(
          who,
          await zipped({
            "threads/a.json": JSON.stringify(thread),
            "files/a.png": bytes,
            "manifest.json": manifest,
          }),
        );
        if (uploaded !== undefined) await open(uploaded.publicUrl);
        return (await who.call("files.list")).files.map(({ id }) => id);
      }

      test("CVE-2025-69220, CVE-2026-54027: the type is determined from the bytes everywhere", async () => {
        const ada = server().inNewWorkspace();
        const ids = await byEachWay(ada, Buffer.from(page));
        expect(ids).toHaveLength(2);
        for (const file_id of ids) {
          expect((await ada.call("files.get", { params: { file_id } })).type).toBe("text/html");
          const { headers } = await ada.ask("files.read", { params: { file_id } });
          expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
          expect(headers.get("content-disposition")).toMatch(/^attachment; /);
          expect(headers.get("content-security-policy")).toContain("sandbox");
        }
      });

      test("CVE-2025-69220, CVE-2026-54027: the limits of size and quota apply everywhere", async () => {
        const ada = server().inNewWorkspace("newcomer");
        expect(await byEachWay(ada, Buffer.alloc(MiB + 1, "x"))).toEqual([]);
        await attach(ada, "one.bin", Buffer.alloc(MiB, "1")).then(async (one) => await open(one.publicUrl));
        const { used_bytes, quota_bytes } = await ada.call("files.list");
        await attach(ada, "two.bin", Buffer.alloc(quota_bytes! - used_bytes, "2")).then(
          async (two) => await open(two.publicUrl),
        );
        expect(await byEachWay(ada, Buffer.from(page))).toHaveLength(2);
        await ada.fails("quota-full", "files.upload", { body: { filename: "a", content_length: 1 } });
      });

      test("CVE-2025-69220: a signature for one's own file does not write to another's", async ({ ada }) => {
        const hers = await requestUpload(ada, { filename: "hers.txt" });
        for (const eve of await outsiders(server())) {
          const own = await requestUpload(eve, { filename: "own.txt" });
          await put(own.signedUrl.replaceAll(own.file_id, hers.file_id), "forged");
          for (const path of [`/v1/files/${hers.file_id}/content`, new URL(hers.publicUrl).pathname])
            for (const method of ["PUT", "POST", "PATCH", "DELETE"])
              expect((await eve.send(method, path, { body: "forged" })).status).toBeGreaterThanOrEqual(400);
        }
        expect((await open(hers.publicUrl)).status).toBe(404);
        await put(hers.signedUrl, "her own");
        expect((await open(hers.publicUrl)).text).toBe("her own");
      });
    });

    describe("the content of another person's file", () => {
      const params = (file: { fileId: string }) => ({ file_id: file.fileId });

      test("CVE-2026-45398, CVE-2026-44560, CVE-2026-59098: is not found by lists, searches or tools", async () => {
        const ada = server().inNewWorkspace();
        const { threadId, publicUrl, fileId } = await storeFile(ada, "vault.txt", secret, { title: "Vault" });
        await vi.waitFor(async () => {
          server().clock.advance(1_000);
          const { hits } = await ada.call("search.find", { query: { q: "marzipan" } });
          expect(hits).toHaveLength(1);
        }, waitOptions);
        for (const eve of await outsiders(server())) {
          const thread = { last_message_at: new Date(0).toISOString() };
          const { thread_id } = await eve.call("threads.create", { body: thread });
          const words = "Mine as well?";
          for (const address of [publicUrl, `/v1/files/${fileId}/content`])
            await mentionFile(eve, thread_id, address, { name: "vault.txt", words });
          server().clock.advance(5_000);
          for (const q of ["marzipan", "vault has:file", `in:${threadId} vault`])
            expect((await eve.ask("search.find", { query: { q } })).text).not.toMatch(/marzipan|vault\.txt"/);
          expect((await eve.call("files.list", { query: { q: "vault" } })).files).toEqual([]);
          expect((await eve.ask("files.list", { query: { thread_id: threadId } })).text).not.toContain(
            fileId,
          );
          const calls = [
            ["search_threads", { query: "What opens the vault?" }],
            ["search_threads", { query: "vault", thread_id: threadId }],
            ["read_thread", { thread_id: threadId }],
            ["list_threads", {}],
          ] as const;
          for (const [tool, args] of calls) {
            const talk = await startRun(eve, `Look: tool=${tool}(${JSON.stringify(args)})`);
            expect(JSON.stringify(await readWholeLog(eve, talk.run_id))).not.toContain("marzipan");
          }
          expect(JSON.stringify(await exportedBy(eve))).not.toContain("marzipan");
        }
        await server().guest.fails("not-signed-in", "search.find", { query: { q: "marzipan" } });
      });

      test("CVE-2026-45398, CVE-2026-59098: is not sent to a model", async ({ ada }) => {
        const pdf = document([{ content: line("The plan is called walnut") }]);
        const files = [
          await storeFile(ada, "vault.txt", secret),
          await storeFile(ada, "plan.pdf", pdf, { type: "application/pdf" }),
          await storeFile(ada, "garden.png", gardenPng, { type: "image/png" }),
        ];
        const parts = files.flatMap(({ publicUrl, fileId }) => [
          { type: "file", data: publicUrl, mimeType: "text/plain" },
          { type: "file", data: `/v1/files/${fileId}/content`, mimeType: "application/pdf" },
          { type: "image", image: publicUrl },
        ]);
        for (const eve of await outsiders(server())) {
          const words = `What is in these? ${crypto.randomUUID()} tokens=1`;
          const content = { role: "user" as const, content: [{ type: "text", text: words }, ...parts] };
          const { run_id } = await eve.call("runs.start", {
            params: { thread_id: newId("thread") },
            body: { message: { parent_id: null, content } },
          });
          await readWholeLog(eve, run_id);
          await eve.ask("runs.stream", {
            body: { thread_id: "unstable_todo", assistant_id: "default", messages: [content] },
          });
          const asked = await server().requestsWith(words);
          expect(asked).toHaveLength(2);
          for (const request of asked) {
            expect(JSON.stringify(request.body)).not.toMatch(/marzipan|walnut/);
            expect(modelInputOf(request).pictures).toEqual([]);
          }
        }
      });

      test("CVE-2026-42456: is not in thumbnails, pages, titles or copies", async ({ ada }) => {
        const pdf = document([{ content: line("The plan is called walnut") }]);
        const picture = await storeFile(ada, "garden.png", gardenPng);
        const plan = await storeFile(ada, "plan.pdf", pdf);
        const talk = await sendAndWait(ada, "The plan is called walnut tokens=2");
        for (const { fileId } of [picture, plan])
          expect((await ada.ask("files.read", { params: { file_id: fileId } })).status).toBe(200);
        for (const eve of [...(await outsiders(server())), server().guest]) {
          const isGuest = eve === server().guest;
          const refusal = isGuest ? "not-signed-in" : "file-not-found";
          for (const file of [picture, plan]) {
            await eve.fails(refusal, "files.get", { params: params(file) });
            await eve.fails(refusal, "files.read", { params: params(file) });
            await eve.fails(refusal, "files.thumbnail", { params: params(file) });
            await eve.fails(refusal, "files.text", { params: params(file) });
            await eve.fails(refusal, "files.remove", { params: params(file) });
            const key = new URL(file.publicUrl).pathname;
            await eve.fails(refusal, "files.download", { body: { key } });
            const pages = await eve.ask("files.pdfToImages", {
              body: { file_url: `${server().url}/v1/files/${file.fileId}/content` },
            });
            expect(pages.status).toBeGreaterThanOrEqual(400);
            expect(pages.text).not.toContain("walnut");
          }
          const missing = isGuest ? "not-signed-in" : "thread-not-found";
          const thread = { thread_id: talk.thread_id };
          await eve.fails(missing, "exports.thread", { params: thread });
          await eve.fails(missing, "runs.stream", {
            body: { ...thread, assistant_id: "system/thread_title", messages: [userMessage("x")] },
          });
        }
        const { threads } = await ada.call("threads.list");
        expect(threads).toHaveLength(3);
      });
    });
  });
});

async function exportedBy(who: Visitor): Promise<string[]> {
  return [...(await unzipped(await exportAll(who))).values()].map((bytes) => bytes.toString("latin1"));
}
