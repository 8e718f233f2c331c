import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, vi } from "vitest";
import { newId } from "#contract/ids.ts";
import { people, userMessage } from "#fixtures/people.ts";
import { attach, open, put, requestUpload, type UploadTarget } from "../support/data/files.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import {
  enginesWith,
  putForeignObject,
  s3LocationOf,
  stores,
  storeSettings,
} from "../support/servers/stores.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";

const hourMs = 3_600_000;
/** The sweeps run while the clock advances. */
const waitOptions = { timeout: 15_000, interval: 20 };

const contentWith = (...urls: string[]) => ({
  role: "user",
  content: urls.map((url) => ({ type: "image", image: url })),
  metadata: { custom: {} },
});

/** A message that mentions these URLs, as another client stores it. */
async function mentionFiles(
  who: Visitor,
  ...urls: string[]
): Promise<{ thread_id: string; message_id: string }> {
  const { thread_id } = await who.call("threads.create", {
    body: { last_message_at: new Date().toISOString() },
  });
  const body = { parent_id: null, format: "aui/v0", content: contentWith(...urls) };
  const { message_id } = await who.call("messages.add", { params: { thread_id }, body });
  return { thread_id, message_id };
}

const isThere = async ({ publicUrl }: UploadTarget): Promise<boolean> =>
  (await open(publicUrl)).status === 200;

/** Advances the clock, with the sweeps, until the file is deleted. */
async function untilGone(server: TestServer, file: UploadTarget): Promise<void> {
  await vi.waitFor(
    async () => {
      server.clock.advance(10 * 60_000);
      expect(await isThere(file)).toBe(false);
    },
    { timeout: 10_000, interval: 5 },
  );
}

describe.for(stores)("on %s", async (store) => {
  const settings = await storeSettings(store);

  describeServer("files", { on: enginesWith(store), model: true, settings }, (server) => {
    const file = async (who: Visitor, name = "garden.bin") => await attach(who, name, randomBytes(200));

    test("without mentions are deleted after a day, and others stay", async ({ ada }) => {
      const lone = await file(ada);
      const kept = await file(ada);
      const own = await file(ada);
      const named = await file(ada);
      await mentionFiles(ada, kept.publicUrl);
      await mentionFiles(ada, `/v1/files/${own.file_id}/content`);
      await sendAndWait(ada, `Look at ${named.publicUrl} tokens=2`);
      server().clock.advance(23 * hourMs);
      expect(await isThere(lone)).toBe(true);
      await untilGone(server(), lone);
      for (const each of [kept, own, named]) expect(await isThere(each)).toBe(true);
      await ada.fails("file-not-found", "files.get", { params: { file_id: lone.file_id } });
    });

    test("are deleted when their thread leaves the trash, unless another message mentions them", async () => {
      const ada = server().inNewWorkspace();
      const [gone, shared] = [await file(ada), await file(ada)];
      const { thread_id } = await mentionFiles(ada, gone.publicUrl, shared.publicUrl);
      await mentionFiles(ada, shared.publicUrl);
      await ada.call("threads.remove", { params: { thread_id } });
      const marker = await file(ada);
      server().clock.advance(24 * hourMs);
      await untilGone(server(), marker);
      expect(await isThere(gone)).toBe(true);
      await ada.call("trash.empty");
      await untilGone(server(), gone);
      expect(await isThere(shared)).toBe(true);
    });

    test("are deleted with their message, or a day after the message was changed", async ({ ada }) => {
      const [deleted, changed] = [await file(ada), await file(ada)];
      const one = await mentionFiles(ada, deleted.publicUrl);
      const two = await mentionFiles(ada, changed.publicUrl);
      await ada.call("messages.update", {
        params: { thread_id: two.thread_id, message_id: two.message_id },
        body: { content: contentWith() },
      });
      await ada.call("messages.remove", {
        params: { thread_id: one.thread_id },
        body: { message_ids: [one.message_id] },
      });
      await untilGone(server(), deleted);
      expect(await isThere(changed)).toBe(true);
      server().clock.advance(24 * hourMs);
      await untilGone(server(), changed);
    });

    test("that are mentioned again in time stay", async ({ ada }) => {
      const back = await file(ada);
      const { thread_id, message_id } = await mentionFiles(ada, back.publicUrl);
      const params = { thread_id, message_id };
      await ada.call("messages.update", { params, body: { content: contentWith() } });
      server().clock.advance(20 * hourMs);
      await ada.call("messages.update", { params, body: { content: contentWith(back.publicUrl) } });
      const marker = await file(ada);
      server().clock.advance(24 * hourMs);
      await untilGone(server(), marker);
      expect(await isThere(back)).toBe(true);
    });

    test("that are mentioned during a sweep are deleted or stay", async ({ ada }) => {
      for (let round = 0; round < 2; round++) {
        const lone = await Promise.all(Array.from({ length: 4 }, async () => await file(ada)));
        server().clock.advance(25 * hourMs);
        const there = await Promise.all(
          lone.map(async (each, index) => {
            await sleep(index * 8);
            await mentionFiles(ada, each.publicUrl);
            return await isThere(each);
          }),
        );
        const marker = await file(ada);
        server().clock.advance(24 * hourMs);
        await untilGone(server(), marker);
        expect(await Promise.all(lone.map(isThere))).toEqual(there);
      }
    });

    test("of a queued message stay, even when it is sent", async ({ ada }) => {
      const waiting = await file(ada);
      const params = { thread_id: newId("thread") };
      const started = await ada.call("runs.start", {
        params,
        body: { message: { parent_id: null, content: userMessage("endless gap=10") } },
      });
      const queuedId = newId("message");
      await ada.call("runs.start", {
        params,
        body: {
          message: {
            id: queuedId,
            parent_id: started.reply_id,
            content: userMessage(`Look at ${waiting.publicUrl} tokens=2`),
          },
        },
      });
      const marker = await file(ada);
      server().clock.advance(24 * hourMs);
      await untilGone(server(), marker);
      expect(await isThere(waiting)).toBe(true);
      await ada.call("runs.stop", { params: { run_id: started.run_id } });
      await vi.waitFor(async () => {
        const { messages } = await ada.call("messages.branch", { params });
        expect(messages.map(({ id }) => id)).toContain(queuedId);
      });
      const second = await file(ada);
      server().clock.advance(24 * hourMs);
      await untilGone(server(), second);
      expect(await isThere(waiting)).toBe(true);
    });

    test("are not kept by mentions in another workspace", async () => {
      const [ada, ben] = [server().inNewWorkspace(), server().inNewWorkspace("ben")];
      const [foreign, guessed] = [await file(ada), await file(ben)];
      await mentionFiles(
        ben,
        foreign.publicUrl,
        guessed.publicUrl.replace(/\/[0-9a-z]{26}/, `/${"0".repeat(26)}`),
      );
      server().clock.advance(24 * hourMs);
      await untilGone(server(), foreign);
      await untilGone(server(), guessed);
    });

    test("share their bytes until the last of them is deleted", async ({ ada }) => {
      const bytes = randomBytes(300);
      const [one, two] = [await attach(ada, "one", bytes), await attach(ada, "two", bytes)];
      for (const each of [one, two]) expect(await isThere(each)).toBe(true);
      await ada.call("files.remove", { params: { file_id: one.file_id } });
      expect([await isThere(one), await isThere(two)]).toEqual([false, true]);
      await ada.call("files.remove", { params: { file_id: two.file_id } });
      expect(await isThere(two)).toBe(false);
      if (store === "s3") return;
      const folder = join(server().place.dataDir, "files");
      await vi.waitFor(async () => {
        server().clock.advance(10 * 60_000);
        const names = await readdir(folder, { recursive: true });
        expect(names.filter((name) => name.includes(one.file_id) || name.includes(two.file_id))).toEqual([]);
      });
    });

    test("can be deleted by their owner, and not by a colleague (CVE-2026-44654, CVE-2026-45671)", async () => {
      const { ada, ben } = server().colleagues();
      const hers = await file(ada);
      await mentionFiles(ben, hers.publicUrl);
      const params = { file_id: hers.file_id };
      expect((await ben.ask("files.get", { params })).status).toBe(200);
      await ben.fails("not-allowed", "files.remove", { params });
      expect(await isThere(hers)).toBe(true);
      await ada.call("files.remove", { params });
      await ada.fails("file-not-found", "files.remove", { params });
    });

    test("move with a visitor's threads to the account, and stay private", async ({ ada }) => {
      const tokens = await signUp(server().url);
      const dan = visitor(server().url, "dan", { ...bearer(tokens.access_token), ...newAddress() });
      const his = await file(dan);
      expect(await isThere(his)).toBe(true);
      const { thread_id } = await mentionFiles(dan, his.publicUrl);
      await ada.call("threads.claim", { body: { refresh_token: tokens.refresh_token.token } });
      const { files } = await ada.call("files.list");
      expect(files).toMatchObject([{ id: his.file_id, threads: [{ id: thread_id }] }]);
      await dan.fails("file-not-found", "files.get", { params: { file_id: his.file_id } });
      expect(await isThere(his)).toBe(true);
    });

    test("of an erased person are deleted, with their mentions of other files", async ({ ada, ben }) => {
      const who = newId("user");
      ada.headers["Aui-User-Id"] = who;
      const [hers, his] = [await file(ada), await file(ben)];
      const { thread_id } = await mentionFiles(ben, hers.publicUrl);
      await ada.call("messages.add", {
        params: { thread_id },
        body: { parent_id: null, format: "aui/v0", content: contentWith(his.publicUrl) },
      });
      await ada.ask("apps.eraseUser", { params: { user_id: who } });
      expect(await isThere(hers)).toBe(false);
      await untilGone(server(), his);
    });

    test("have one blob, even after they move to an account with the same bytes", async ({ ada }) => {
      const tokens = await signUp(server().url);
      const dan = visitor(server().url, "dan", { ...bearer(tokens.access_token), ...newAddress() });
      const bytes = randomBytes(200);
      const [his, hers] = [await attach(dan, "his", bytes), await attach(ada, "hers", bytes)];
      await mentionFiles(dan, his.publicUrl);
      await ada.call("threads.claim", { body: { refresh_token: tokens.refresh_token.token } });
      const third = await attach(ada, "third", bytes);
      for (const each of [his, hers, third])
        expect((await open(each.publicUrl)).bytes.equals(bytes)).toBe(true);
      await mentionFiles(ada, hers.publicUrl, third.publicUrl);
      const blobs = await openBlobs({ dataDir: server().place.dataDir, s3: s3LocationOf(settings) });
      const kept = async () =>
        (await Array.fromAsync(blobs.list("kept/"))).filter(({ key }) =>
          [his, hers, third].some(({ file_id }) => key.includes(file_id)),
        );
      await vi.waitFor(async () => {
        server().clock.advance(10 * 60_000);
        expect(await kept()).toHaveLength(1);
      }, waitOptions);
      for (const each of [his, hers, third])
        expect((await open(each.publicUrl)).bytes.equals(bytes)).toBe(true);
    });

    test("are swept although the bucket contains other programs' objects", async ({ ada }) => {
      const blobs = await openBlobs({ dataDir: server().place.dataDir, s3: s3LocationOf(settings) });
      const strays = ["incoming/0-not-ours", "incoming/A stray.txt"];
      if (store === "s3") for (const key of strays) await putForeignObject(settings, key);
      const lone = await requestUpload(ada, { filename: "a", content_length: 3 });
      await mentionFiles(ada, lone.publicUrl);
      if (store === "disk")
        await blobs.put(`incoming/${lone.file_id}`, Readable.from([Buffer.from("abc")]), {});
      else expect((await put(lone.signedUrl, "abc")).status).toBe(200);
      await vi.waitFor(async () => {
        server().clock.advance(10 * 60_000);
        const keys = (await Array.fromAsync(blobs.list("incoming/"))).map(({ key }) => key);
        expect(keys.filter((key) => !strays.includes(key))).toEqual([]);
      }, waitOptions);
      expect((await open(lone.publicUrl)).text).toBe("abc");
    });
  });

  describeServer("a library", { on: enginesWith(store), settings: await storeSettings(store) }, (server) => {
    test("lists one's own files in the requested order, page by page", async ({ ada, ben }) => {
      await attach(ben, "ben.txt", "his");
      for (const [name, text] of [
        ["b.txt", "x"],
        ["C 100%_sure.md", "xxx"],
        ["a.png", "xx"],
      ] as const) {
        server().clock.advance(1_000);
        await attach(ada, name, text);
      }
      const names = async (query: Record<string, string>) =>
        (await ada.call("files.list", { query })).files.map(({ name }) => name);
      expect(await names({})).toEqual(["a.png", "C 100%_sure.md", "b.txt"]);
      expect(await names({ sort: "oldest" })).toEqual(["b.txt", "C 100%_sure.md", "a.png"]);
      expect(await names({ sort: "name" })).toEqual(["C 100%_sure.md", "a.png", "b.txt"]);
      expect(await names({ sort: "largest" })).toEqual(["C 100%_sure.md", "a.png", "b.txt"]);
      expect(await names({ q: "100%_SURE" })).toEqual(["C 100%_sure.md"]);
      expect(await names({ q: "%" })).toEqual(["C 100%_sure.md"]);
      expect(await names({ kind: "image" })).toEqual([]);
      expect(await names({ kind: "text", sort: "name" })).toEqual(["C 100%_sure.md", "a.png", "b.txt"]);
      for (const sort of ["newest", "oldest", "name", "largest"]) {
        const seen: string[] = [];
        let after: string | null = null;
        do {
          const query = { sort, limit: "1", ...(after === null ? {} : { after }) };
          const page: { files: { name: string }[]; next: string | null } = await ada.call("files.list", {
            query,
          });
          seen.push(...page.files.map(({ name }) => name));
          after = page.next;
        } while (after !== null);
        expect(seen, sort).toEqual(await names({ sort }));
      }
      await ada.fails("bad-cursor", "files.list", { query: { after: newId("file") } });
    });

    test("announces new, mentioned and deleted files in the person's other tabs", async ({ ada, ben }) => {
      const feed = await ada.live();
      await feed.next();
      const told = async () =>
        (await feed.until(({ data }) => data.type === "change" && data.change.type === "files-put")).at(-1)!
          .data;
      const of = (who: string) => ({ change: { type: "files-put", user_id: who } });
      const before = await ada.call("files.list");
      const one = await requestUpload(ada, { filename: "one.txt", content_length: 4 });
      await put(one.signedUrl, "news");
      // A bucket does not report uploads.
      const params = { file_id: one.file_id };
      await ada.call("files.get", { params });
      expect(await told()).toMatchObject(of(people.ada.userId));
      // The same bytes again are not announced.
      await put(one.signedUrl, "news");
      await mentionFiles(ben, one.publicUrl);
      expect(await told()).toMatchObject(of(people.ada.userId));
      await ada.call("files.remove", { params });
      expect(await told()).toMatchObject(of(people.ada.userId));
      expect((await ada.call("files.list")).files).toHaveLength(before.files.length);
      feed.close();
    });

    test("returns the used bytes, the threads, and a URL for each file", async () => {
      const ada = server().inNewWorkspace(`ada_with_a_library_${store}`);
      const one = await attach(ada, "one.txt", "12345");
      await requestUpload(ada, { filename: "never.txt" });
      const { thread_id } = await mentionFiles(ada, one.publicUrl);
      const other = await mentionFiles(ada, one.publicUrl);
      const { files, used_bytes, quota_bytes } = await ada.call("files.list");
      // The file, and the texts of both threads.
      expect(used_bytes).toBeGreaterThan(5);
      expect(used_bytes).toBeLessThan(1024);
      expect(quota_bytes).toBe(1024 ** 3);
      expect(files).toMatchObject([{ id: one.file_id, name: "one.txt", type: "text/plain", size_bytes: 5 }]);
      expect(files[0]!.threads.map(({ id }) => id)).toEqual([thread_id, other.thread_id].toSorted());
      expect((await open(files[0]!.url)).text).toBe("12345");
      await ada.call("threads.remove", { params: { thread_id } });
      const query = { thread_id: other.thread_id };
      expect((await ada.call("files.list", { query })).files[0]!.threads).toHaveLength(1);
      expect((await put(one.signedUrl, "later")).status).toBeGreaterThan(199);
      expect((await open(files[0]!.url)).text).toBe("12345");
    });
  });
});
