import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { exportAll, importFile, outcomesOf, reportOf } from "../support/clients/transfer.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test, startTestServer } from "../support/servers/server.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { manifest, renamed, zipped } from "../support/data/zips.ts";

const message = (id: string, parent: string | null, text = id) => ({
  id,
  parent_id: parent,
  role: "user",
  format: "aui/v0",
  created_at: "2026-01-31T12:00:00.000Z",
  content: userMessage(text),
});
const thread = (id: string, messages: unknown[], more: object = {}) => ({
  format: "parlance-thread",
  version: 1,
  thread: { id, title: id },
  messages,
  ...more,
});
const text = (value: unknown) => JSON.stringify(value);

async function refused(who: Visitor, file: Buffer | string) {
  return await who.send("POST", "/v1/import", { body: file as string });
}

async function titles(who: Visitor): Promise<(string | null)[]> {
  return (await who.call("threads.list")).threads.map(({ title }) => title);
}

describeServer("an import", {}, (server) => {
  test.for([
    ["nothing", "", "import-unknown"],
    ["words", "Dear diary", "import-unknown"],
    ["JSON of something else", text({ hello: "world" }), "import-unknown"],
    ["a list of something else", text([{ hello: "world" }]), "import-unknown"],
    ["a picture", Buffer.from("89504e470d0a1a0a", "hex"), "import-unknown"],
    ["only the beginning of a zip", Buffer.from("PK\u0003\u0004rest", "latin1"), "import-damaged"],
  ] as const)("of %s is refused", async ([, file, code], { ada }) => {
    expectProblem(await refused(ada, file), code);
    expect(await titles(ada)).toEqual([]);
  });

  test("of another zip, or of a later version, is refused with its own error", async ({ ada }) => {
    expectProblem(
      await refused(ada, await zipped({ "notes.txt": "Hello", "manifest.json": '{"name":"web app"}' })),
      "import-unknown",
    );
    const later = manifest.replace('"version":1', '"version":2');
    expectProblem(await refused(ada, await zipped({ "manifest.json": later })), "import-too-new");
    const report = await importFile(ada, text({ ...thread("a", []), version: 2 }));
    expect(report.threads).toMatchObject([{ outcome: "refused", error: { code: "import-too-new" } }]);
  });

  test("of a truncated zip imports nothing", async ({ ada }) => {
    const whole = await zipped({
      "threads/a.json": text(thread("a", [message("m", null)])),
      "manifest.json": manifest,
    });
    for (const part of [0.1, 0.5, 0.9, 0.999])
      expectProblem(await refused(ada, whole.subarray(0, Math.floor(whole.length * part))), "import-damaged");
    expect(await titles(ada)).toEqual([]);
    expect(outcomesOf(await importFile(ada, whole))).toEqual(["added"]);
  });

  test("imports the valid threads of a zip, and reports what is wrong with the others", async ({ ada }) => {
    const many = Array.from({ length: 3 }, (_, index) =>
      message(`m${index}`, index === 0 ? null : `m${index - 1}`),
    );
    const files: Record<string, [content: string, code: string, path?: string]> = {
      "a good one": [text(thread("good", [message("m", null)], { later: { field: 1 } })), "added"],
      "broken JSON": [
        '{"format":"parlance-thread","version":1,"thread":{"id":"b"},"messages":[{"id":}]}',
        "bad-json",
      ],
      "one cut short": [text(thread("c", [message("m", null)])).slice(0, -20), "import-damaged"],
      "a circle": [
        text(thread("d", [message("m", "n"), message("n", "m")])),
        "bad-request",
        "messages.0.parent_id",
      ],
      "a message that is its own parent": [
        text(thread("e", [message("m", "m")])),
        "bad-request",
        "messages.0.parent_id",
      ],
      "an id twice": [
        text(thread("f", [message("m", null), message("m", null)])),
        "bad-request",
        "messages.1.id",
      ],
      "a name of an application twice, as it can be kept": [
        text(
          thread("twice", [
            { ...message("m", null), external_id: "ext-\0" },
            { ...message("n", "m"), external_id: "ext-\uFFFD" },
          ]),
        ),
        "bad-request",
        "messages.1.external_id",
      ],
      "a role of its own": [
        text(thread("g", [...many, { ...message("x", null), role: "ghost" }])),
        "bad-request",
        "messages.3.role",
      ],
      "no id": [text({ ...thread("h", []), thread: {} }), "bad-request", "thread.id"],
      "a time that is none": [
        text(thread("i", [{ ...message("m", null), created_at: "yesterday" }])),
        "bad-request",
        "messages.0.created_at",
      ],
      "content that is none": [
        text(thread("j", [{ ...message("m", null), content: "words" }])),
        "bad-request",
        "messages.0.content",
      ],
      "a message too large": [
        text(thread("k", [message("m", null, "x".repeat(limits.messageContentBytes))])),
        "too-large",
        "messages.0.content",
      ],
      "a score of nothing": [
        text(
          thread("l", [], {
            scores: [{ message_id: "m", name: "x", data_type: "boolean", value: 1, string_value: null }],
          }),
        ),
        "bad-request",
        "scores.0.message_id",
      ],
      "a score that cannot be": [
        text(
          thread("l", [], {
            scores: [{ message_id: null, name: "a b", data_type: "boolean", value: 7, string_value: null }],
          }),
        ),
        "bad-request",
      ],
      "metadata too large": [
        text(thread("m", [], { thread: { id: "m", metadata: { x: "x".repeat(20_000) } } })),
        "bad-request",
        "thread.metadata",
      ],
    };
    const zip = await zipped({
      ...Object.fromEntries(
        Object.entries(files).map(([name, [content]]) => [`threads/${name}.json`, content]),
      ),
      "manifest.json": manifest,
    });
    const report = await importFile(ada, zip);
    expect(report.start).toMatchObject({ kind: "parlance", threads: Object.keys(files).length });
    const told = report.threads.map((each) => [
      each.error?.code ?? each.outcome,
      each.error?.details?.[0]?.path,
    ]);
    for (const [index, [name, [, code, path]]] of Object.entries(files).entries()) {
      expect(told[index]![0], name).toBe(code);
      if (path !== undefined) expect(told[index]![1], name).toBe(path);
    }
    expect(report.end).toMatchObject({ added: 1, refused: Object.keys(files).length - 1, messages: 1 });
    expect(await titles(ada)).toEqual(["good"]);
  });

  test("refuses a zip that unpacks to far more than an export would, without unpacking it (CVE-2026-54024)", async () => {
    const ada = server().inNewWorkspace();
    const bomb = `{"format":"parlance-thread","version":1,"thread":{"id":"a","title":"${"x".repeat(30 * 1024 * 1024)}"`;
    const zip = await zipped({ "threads/a.json": bomb, "manifest.json": manifest });
    expect(zip.length).toBeLessThan(100_000);
    expectProblem(await refused(ada, zip), "import-unsafe");
    const file = { "files/bomb.bin": Buffer.alloc(30 * 1024 * 1024), "manifest.json": manifest };
    expectProblem(await refused(ada, await zipped(file)), "import-unsafe");
    // Entries that no export has are not unpacked.
    const beside = await zipped({
      "threads/a.json": text(thread("a", [message("m", null)])),
      "other/bomb.bin": Buffer.alloc(30 * 1024 * 1024),
      "manifest.json": manifest,
    });
    expect(outcomesOf(await importFile(ada, beside))).toEqual(["added"]);
  });

  test.for(["../../etc/x.json", "/tmp/threads/x.js", "threads\\..\\..\\x.js"])(
    "refuses a zip with a path outside of it: %s",
    async (name, { ada }) => {
      const plain = `threads/${"a".repeat(name.length - "threads/.json".length)}.json`;
      const zip = await zipped({ [plain]: text(thread("a", [])), "manifest.json": manifest });
      const answer = await refused(ada, renamed(zip, { [plain]: name }));
      // A backslash separates folders, as on Windows.
      expectProblem(answer, "import-unsafe");
      expect(await titles(ada)).toEqual([]);
    },
  );

  test("imports nothing of a thread with a wrong checksum", async ({ ada }) => {
    const content = text(thread("a", [message("m", null, "the original words")]));
    const zip = await zipped({ "threads/a.json": content, "manifest.json": manifest });
    const { ZipFile } = await import("yazl");
    const { buffer } = await import("node:stream/consumers");
    const stored = new ZipFile();
    stored.addBuffer(Buffer.from(content), "threads/a.json", { compress: false });
    stored.addBuffer(Buffer.from(manifest), "manifest.json");
    stored.end();
    const plain = await buffer(stored.outputStream as never);
    const forged = renamed(plain, { "the original words": "the forged words !" });
    expect((await importFile(ada, forged)).threads).toMatchObject([
      { outcome: "refused", error: { code: "import-damaged" } },
    ]);
    expect(await titles(ada)).toEqual([]);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["added"]);
  });

  test("adds missing messages to a thread, and does not change existing ones or the trash", async () => {
    const ada = server().inNewWorkspace();
    const id = newId("thread");
    const [one, two, three] = [newId("message"), newId("message"), newId("message")];
    await importFile(ada, text(thread(id, [message(one, null, "One"), message(two, one, "Two")])));
    await ada.call("threads.update", { params: { thread_id: id }, body: { title: "Mine" } });
    const longer = text(
      thread(id, [message(one, null, "Another one"), message(two, one), message(three, two, "Three")]),
    );
    expect((await importFile(ada, longer)).threads).toMatchObject([
      { outcome: "updated", messages: 1, thread_id: id },
    ]);
    const { messages } = await ada.call("messages.list", { params: { thread_id: id } });
    expect(messages.map(({ content }) => content)).toEqual([
      userMessage("Three"),
      userMessage("Two"),
      userMessage("One"),
    ]);
    expect(await titles(ada)).toEqual(["Mine"]);
    await ada.call("threads.remove", { params: { thread_id: id } });
    expect((await importFile(ada, longer)).threads).toMatchObject([{ outcome: "unchanged", in_trash: true }]);
    expect(await titles(ada)).toEqual([]);
  });

  test("keeps the times of the messages that it adds", async ({ ada }) => {
    const lastOf = async (id: string) =>
      (await ada.call("threads.get", { params: { thread_id: id } })).thread.last_message_at;
    const [longer, other] = [newId("thread"), newId("thread")];
    const ids = Array.from({ length: 5 }, () => newId("message"));
    const at = (index: number, created_at: string) => ({
      ...message(ids[index]!, ids[index - 1] ?? null),
      created_at,
    });
    const first = at(0, "2026-01-05T12:00:00.000Z");
    await importFile(ada, text(thread(longer, [first])));
    await importFile(
      ada,
      text(thread(other, [{ ...message(newId("message"), null), created_at: "2026-01-07T12:00:00.000Z" }])),
    );
    expect(await titles(ada)).toEqual([other, longer]);

    const added = [first, at(1, "2026-01-10T12:00:00.000Z"), at(2, "2026-01-09T12:00:00.000Z")];
    await importFile(ada, text(thread(longer, added)));
    expect(await lastOf(longer)).toBe("2026-01-10T12:00:00.000Z");
    expect(await titles(ada)).toEqual([longer, other]);

    await importFile(ada, text(thread(longer, [...added, at(3, "2026-01-06T12:00:00.000Z")])));
    expect(await lastOf(longer)).toBe("2026-01-10T12:00:00.000Z");
    const { created_at: _, ...timeless } = message(ids[4]!, first.id);
    const before = server().clock.now();
    await importFile(ada, text(thread(longer, [...added, timeless])));
    expect(Date.parse(await lastOf(longer))).toBeGreaterThanOrEqual(before);
  });

  test("does not use or reveal ids of other people", async ({ ada, eve }) => {
    const mine = await sendAndWait(ada, "What is mine");
    const stolen = text(
      thread(mine.thread_id, [
        message(mine.message_id, null, "Forged"),
        message(mine.reply_id, mine.message_id),
      ]),
    );
    const free = text(thread(newId("thread"), [message(newId("message"), null)]));
    const lines = [await importFile(eve, stolen), await importFile(eve, free)].map(
      ({ threads: [line] }) => line!,
    );
    for (const line of lines) expect(line).toMatchObject({ outcome: "added", error: null });
    expect(Object.keys(lines[0]!)).toEqual(Object.keys(lines[1]!));
    const { messages } = await ada.call("messages.list", { params: { thread_id: mine.thread_id } });
    expect(JSON.stringify(messages)).not.toContain("Forged");
    expect(messages).toHaveLength(2);
  });

  test("imports and exports the many messages of one thread in batches", async ({ ada }) => {
    // Six batches.
    const ids = Array.from({ length: 1_500 }, () => newId("message"));
    const id = newId("thread");
    const long = thread(
      id,
      ids.map((each, index) => message(each, ids[index - 1] ?? null, `Message ${index}`)),
      { shown: ids.at(-1), thread: { id, metadata: { parlance: { folder: "Garden", tags: ["seeds"] } } } },
    );
    expect((await importFile(ada, text(long))).threads).toMatchObject([
      { outcome: "added", messages: 1_500 },
    ]);
    const { labels } = await ada.call("labels.list", {});
    const idOf = (name: string) => labels.find((label) => label.name === name)?.id;
    expect(labels).toHaveLength(2);
    expect(await ada.call("threads.get", { params: { thread_id: id } })).toMatchObject({
      thread: { folder_id: idOf("Garden"), tag_ids: [idOf("seeds")] },
    });
    const branch = await ada.call("messages.branch", { params: { thread_id: id }, query: { limit: "2" } });
    expect(branch).toMatchObject({ head_id: ids.at(-1), has_more: true });
    const zip = await exportAll(ada);
    await ada.call("threads.remove", { params: { thread_id: id } });
    await ada.call("trash.empty");
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["added"]);
  }, 120_000);

  test("creates the folders of the threads that it added, and none of a refused or cancelled one", async () => {
    const ada = server().inNewWorkspace();
    const inFolder = (folder: string, messages: unknown[]) =>
      text({
        ...thread(folder, messages),
        thread: { id: folder, title: folder, metadata: { parlance: { folder } } },
      });
    const ids = Array.from({ length: 10_000 }, (_, index) => `m${index}`);
    const file = await zipped({
      "threads/1.json": inFolder("Refused", [message("m", "m")]),
      "threads/2.json": inFolder("Added", [message("m", null)]),
      "threads/3.json": inFolder(
        "Cancelled",
        ids.map((each, index) => message(each, ids[index - 1] ?? null)),
      ),
      "threads/4.json": inFolder("Never begun", [message("m", null)]),
      "manifest.json": manifest,
    });
    const leaving = new AbortController();
    const response = await fetch(`${ada.url}/v1/import`, {
      method: "POST",
      headers: ada.headers,
      body: new Uint8Array(file),
      signal: leaving.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = ""; !read.includes('"outcome":"added"');) read += (await reader.read()).value!;
    // Some of its messages are stored, hidden, and many are not.
    const isBegun = async () =>
      (await rawSql(server().place, (run) => run("select 1 from threads where title = 'Cancelled'"))).length;
    await expect.poll(isBegun, { interval: 5, timeout: 20_000 }).toBe(1);
    leaving.abort();
    // Another import of the same person is refused until this one has ended.
    await expect
      .poll(async () => (await refused(ada, inFolder("Later", [message("m", null)]))).status, {
        timeout: 20_000,
      })
      .toBe(200);
    const names = async () => (await ada.call("labels.list", {})).labels.map(({ name }) => name).toSorted();
    expect(await names()).toEqual(["Added", "Later"]);
    expect(new Set(await titles(ada))).toEqual(new Set(["Added", "Later"]));
  });

  test("marks a reply that was in progress as interrupted", async ({ ada }) => {
    const running = {
      ...message("r", "m"),
      role: "assistant",
      status: { type: "running", reason: null, error_code: null },
    };
    const [line] = (await importFile(ada, text(thread("a", [message("m", null), running])))).threads;
    const { messages } = await ada.call("messages.branch", { params: { thread_id: line!.thread_id! } });
    expect(messages.at(-1)?.status).toEqual({ type: "incomplete", reason: "interrupted", error_code: null });
  });

  test("accepts a reply whose status has characters that databases cannot store", async ({ ada }) => {
    const odd = {
      ...message("r", "m"),
      role: "assistant",
      status: { type: "incomplete", reason: "a\u0000b", error_code: "\ud800" },
    };
    expect(outcomesOf(await importFile(ada, text(thread("a", [message("m", null), odd]))))).toEqual([
      "added",
    ]);
  });

  test("keeps possible times, and replaces those of the future by now", async ({ ada }) => {
    const far = {
      id: "a",
      created_at: "2020-01-01T00:00:00.000Z",
      last_message_at: "2999-01-01T00:00:00.000Z",
    };
    const [line] = (
      await importFile(
        ada,
        text(
          thread("a", [{ ...message("m", null), created_at: "2999-01-01T00:00:00.000Z" }], { thread: far }),
        ),
      )
    ).threads;
    const { thread: kept } = await ada.call("threads.get", { params: { thread_id: line!.thread_id! } });
    expect(kept.created_at).toBe("2020-01-01T00:00:00.000Z");
    expect(Date.parse(kept.last_message_at)).toBeLessThan(server().clock.now() + 25 * 3_600_000);
  });

  test("leaves no file behind", async ({ ada }) => {
    await importFile(ada, text(thread("a", [])));
    await refused(ada, "Dear diary");
    expect(await readdir(join(server().place.dataDir, "incoming"))).toEqual([]);
  });

  test("is refused while another one of the same person runs", async ({ dan }) => {
    const slow = () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const write = async (words: string) => await writer.write(new TextEncoder().encode(words));
      const init = { method: "POST", headers: dan.headers, body: readable, duplex: "half" };
      const answer = fetch(`${dan.url}/v1/import`, init as RequestInit);
      void write('{"format":"parlance-thread","version":1,').catch(() => {});
      const end = async () => {
        await write('"thread":{"id":"a"},"messages":[]}');
        await writer.close();
      };
      return { answer, end };
    };
    const both = [slow(), slow()];
    const first = await Promise.race(both.map(async ({ answer }, index) => await answer.then(() => index)));
    expect(await (await both[first]!.answer).json()).toMatchObject({ code: "too-many-transfers" });
    const other = both[1 - first]!;
    await other.end();
    expect(outcomesOf(reportOf(await (await other.answer).text()))).toEqual(["added"]);
  });
});

describeServer("an import with a size limit", { settings: { IMPORT_MEGABYTES: "1" } }, () => {
  test("is refused beyond it, even without a declared length (CVE-2026-54024)", async ({ ada }) => {
    const large = text(thread("a", [message("m", null, "x".repeat(1_500_000))]));
    expectProblem(await refused(ada, large), "too-large");
    const chunks = new Blob([large]).stream();
    const response = await fetch(`${ada.url}/v1/import`, {
      method: "POST",
      headers: ada.headers,
      body: chunks,
      duplex: "half",
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, "too-large"]);
  });
});

describe("an import whose server was killed", () => {
  test("leaves nothing visible, and is cleaned up", async () => {
    const { newPlace } = await import("../support/servers/server.ts");
    const place = await newPlace("sqlite");
    const server = await startTestServer({ engine: "sqlite", place });
    const ada = server.inWorkspace("org_a");
    const ids = Array.from({ length: 600 }, () => newId("message"));
    const id = newId("thread");
    await importFile(
      ada,
      text(
        thread(
          id,
          ids.map((each) => message(each, null)),
        ),
      ),
    );
    await server.close();
    // The state that a process leaves if it dies between two batches: the thread is in the staging workspace.
    await rawSql(place, async (run) => {
      await run(
        "insert into workspaces (id, app_id, realm, name, created_at) select 'wsp_s', app_id, 'own', '(being brought in)', 0 from threads where not exists (select 1 from workspaces where name = '(being brought in)') limit 1",
      );
      await run(
        `update threads set deleted_at = ${Date.now()}, workspace_id = (select id from workspaces where name = '(being brought in)') where id = '${id}'`,
      );
    });
    const again = await startTestServer({ engine: "sqlite", place });
    expect((await again.inWorkspace("org_a").call("threads.list")).threads).toEqual([]);
    expect(await rawSql(place, async (run) => await run("select count(*) as count from messages"))).toEqual([
      { count: 0 },
    ]);
    expect(
      outcomesOf(
        await importFile(
          again.inWorkspace("org_a"),
          text(
            thread(
              id,
              ids.map((each) => message(each, null)),
            ),
          ),
        ),
      ),
    ).toEqual(["added"]);
    await again.close();
    await place.remove();
  });
});
