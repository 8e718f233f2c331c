import { createHash, randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, vi } from "vitest";
import type { ExportedThread } from "#contract/endpoints/exports.ts";
import { exportAll, exportThread, importFile, outcomesOf } from "../support/clients/transfer.ts";
import { attach, gardenPng, open, type UploadTarget } from "../support/data/files.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test, startTestServer, type TestServer } from "../support/servers/server.ts";
import { enginesWith, stores, storeSettings } from "../support/servers/stores.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { unzipped } from "../support/data/zips.ts";

const dayMs = 24 * 3_600_000;
const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The ways in which people and clients mention a file. */
const mentions = {
  lasting: ({ publicUrl }: UploadTarget) => publicUrl,
  own: ({ file_id: id }: UploadTarget) => `/v1/files/${id}/content`,
  inWords: ({ publicUrl }: UploadTarget) => `See ![the garden](${publicUrl}), twice: ${publicUrl}.`,
};

const saying = (...texts: string[]) => ({
  role: "user",
  content: texts.map((text) => ({ type: "image", image: text })),
});

async function speak(who: Visitor, ...texts: string[]): Promise<{ thread_id: string; message_id: string }> {
  const { thread_id } = await who.call("threads.create", {
    body: { last_message_at: new Date().toISOString() },
  });
  const body = { parent_id: null, format: "aui/v0", content: saying(...texts) };
  const { message_id } = await who.call("messages.add", { params: { thread_id }, body });
  return { thread_id, message_id };
}

const address = /(?:http:\/\/[\w.:]+)?\/v1\/(?:content\/(\w+)\/\w+(?:\.\w+)?|files\/(\w+)\/content)/g;

/** The messages of a thread, with descriptions of files in place of their URLs. */
async function seenBy(who: Visitor, threadId: string): Promise<unknown> {
  const { messages } = await who.call("messages.list", { params: { thread_id: threadId } });
  const seen = [];
  for (const { content } of messages) {
    const text = JSON.stringify(content);
    const files: string[] = [];
    for (const [whole, open_, own] of text.matchAll(address)) {
      const id = open_ ?? own!;
      const shown = await open(`${who.url}/v1/files/${id}/content`, who.headers);
      const known = await who.call("files.get", { params: { file_id: id } });
      // A URL with a secret opens the file for everyone.
      if (open_ !== undefined) expect((await open(whole)).bytes.equals(shown.bytes)).toBe(true);
      files.push([known.name, known.type, known.size_bytes, sum(shown.bytes)].join(" "));
    }
    seen.push([text.replaceAll(address, "…"), files]);
  }
  return seen;
}

async function filesOf(who: Visitor): Promise<string[]> {
  return (await who.call("files.list")).files.map(({ id }) => id);
}

async function forget(who: Visitor, threadId: string): Promise<void> {
  await who.ask("threads.remove", { params: { thread_id: threadId } });
  await who.call("trash.remove", { params: { thread_id: threadId } });
}

/** Advances the clock until the file is deleted. */
async function untilGone(server: TestServer, { publicUrl }: UploadTarget): Promise<void> {
  await vi.waitFor(
    async () => {
      server.clock.advance(10 * 60_000);
      expect((await open(publicUrl)).status).toBe(404);
    },
    { timeout: 10_000, interval: 5 },
  );
}

describe.for(stores)("on %s", async (store) => {
  const settings = await storeSettings(store);

  describeServer("the files of an export", { on: enginesWith(store), settings }, (server) => {
    test("are included once each, and belong to the importer", async ({ ada }) => {
      const ben = server().inNewWorkspace("ben");
      const picture = await attach(ada, "garden.png", gardenPng, "image/png");
      const twin = await attach(ada, "../the same: again?.png", gardenPng, "image/png");
      const words = await attach(ada, "notes.txt", "Water the roses.");
      await attach(ada, "never sent.txt", "Nobody speaks of it.");
      const first = await speak(ada, mentions.lasting(picture), mentions.own(words), mentions.lasting(twin));
      await speak(ada, mentions.inWords(picture));
      const zip = await exportAll(ada);

      const inside = await unzipped(zip);
      const packed = [...inside].filter(([name]) => name.startsWith("files/"));
      expect(packed.map(([, bytes]) => sum(bytes)).toSorted()).toEqual(
        [sum(gardenPng), sum(Buffer.from("Water the roses."))].toSorted(),
      );
      for (const [name] of packed) expect(name).toMatch(/^files\/[\w :]+ [0-9a-f]{32}\.(png|txt)$/);
      expect(JSON.parse(inside.get("manifest.json")!.toString())).toMatchObject({ threads: 2, files: 2 });

      const [place] = packed.find(([name]) => name.endsWith(".png"))!;
      const read = [...inside].filter(([name]) => name.endsWith(".md")).map(([, text]) => text.toString());
      for (const text of read) expect(text).toContain(`](<../${encodeURI(place)}>)`);

      const report = await importFile(ben, zip);
      expect(report.end).toMatchObject({ added: 2, files: 3, missing_files: 0 });
      // Ben's files have their own ids and secrets.
      for (const { thread_id: id } of report.threads)
        expect(JSON.stringify(await exportThread(ben, id!))).not.toContain(picture.file_id);
      const bens = (await ben.call("threads.list")).threads.map(({ id }) => id);
      const seen = await Promise.all(bens.map(async (id) => await seenBy(ben, id)));
      const adas = (await ada.call("threads.list")).threads.map(({ id }) => id);
      const before = await Promise.all(adas.map(async (id) => await seenBy(ada, id)));
      const asTexts = (threads: unknown[]) => threads.map((each) => JSON.stringify(each)).toSorted();
      expect(asTexts(seen)).toEqual(asTexts(before));
      expect(await filesOf(ben)).toHaveLength(3);

      // Importing again, for both of them, adds nothing.
      for (const who of [ben, ada])
        expect((await importFile(who, zip)).end).toMatchObject({ unchanged: 2, files: 0, missing_files: 0 });
      expect(await filesOf(ben)).toHaveLength(3);

      // Ben's files stay when hers are deleted.
      for (const id of adas) await forget(ada, id);
      for (const { file_id: id } of [picture, words, twin])
        await ada.call("files.remove", { params: { file_id: id } });
      expect(await Promise.all(bens.map(async (id) => await seenBy(ben, id)))).toEqual(seen);

      // Her own are restored for her.
      expect((await importFile(ada, zip)).end).toMatchObject({ added: 2, files: 3 });
      expect(JSON.stringify(await seenBy(ada, first.thread_id))).toBe(
        JSON.stringify(before[adas.indexOf(first.thread_id)]),
      );
      for (const { file_id: id } of [picture, words]) expect(await filesOf(ada)).not.toContain(id);
    });

    test("that still exist keep their ids and URLs", async ({ ada }) => {
      const picture = await attach(ada, "garden.png", gardenPng, "image/png");
      const { thread_id: id } = await speak(ada, mentions.lasting(picture), mentions.own(picture));
      const other = await speak(ada, mentions.own(picture));
      const before = await exportThread(ada, id);
      const zip = await exportAll(ada);
      await forget(ada, id);
      await forget(ada, other.thread_id);
      // No message mentions it, and no sweep has run yet.
      const report = await importFile(ada, zip);
      expect(report.end).toMatchObject({ added: 2, files: 0, missing_files: 0 });
      expect({ ...(await exportThread(ada, id)), exported_at: "" }).toEqual({ ...before, exported_at: "" });
      expect(await filesOf(ada)).toEqual([picture.file_id]);
    });

    test("without bytes in the export are reported, and the thread is imported without them", async () => {
      const ada = server().inNewWorkspace();
      const ben = server().inNewWorkspace("ben");
      const picture = await attach(ada, "garden.png", gardenPng, "image/png");
      const { thread_id: id } = await speak(ada, mentions.lasting(picture));
      const alone = await exportThread(ada, id);
      expect(alone.files).toMatchObject([{ id: picture.file_id, sha256: sum(gardenPng), path: null }]);
      const { threads, end } = await importFile(ben, JSON.stringify(alone));
      expect(threads).toMatchObject([
        {
          outcome: "added",
          files: 0,
          missing_files: 1,
          missing: [{ name: "garden.png", error: { code: "file-not-carried" } }],
        },
      ]);
      expect(end).toMatchObject({ added: 1, missing_files: 1 });
      expect(await filesOf(ben)).toEqual([]);
      // It does not give access to another person's file.
      const bens = await exportThread(ben, threads[0]!.thread_id!);
      expect(bens.files).toEqual([]);
      expect((await open(`${ben.url}/v1/files/${picture.file_id}/content`, ben.headers)).status).toBe(404);
    });

    // The last test, because the clock must not advance during an upload.
    test("are kept while imported messages mention them", async () => {
      const [ada, ben] = [server().inNewWorkspace(), server().inNewWorkspace("ben")];
      const picture = await attach(ada, "garden.png", gardenPng, "image/png");
      const back = await attach(ada, "notes.txt", "Water the roses.");
      const marker = await attach(ada, "marker.bin", randomBytes(8));
      const gone = await speak(ada, mentions.lasting(picture));
      const kept = await speak(ada, mentions.lasting(back));
      const zip = await exportAll(ada);
      const report = await importFile(ben, zip);
      const seen = await seenBy(ben, report.threads[0]!.thread_id!);
      await forget(ada, gone.thread_id);
      await forget(ada, kept.thread_id);
      const only = [...(await unzipped(zip))].find(([, text]) => text.includes(`"${kept.thread_id}"`))!;
      expect(outcomesOf(await importFile(ada, only[1].toString()))).toEqual(["added"]);
      server().clock.advance(2 * dayMs);
      await untilGone(server(), marker);
      await untilGone(server(), picture);
      expect((await open(back.publicUrl)).text).toBe("Water the roses.");
      expect(await seenBy(ben, report.threads[0]!.thread_id!)).toEqual(seen);
    });
  });
});

const bytes = fc.uint8Array({ maxLength: 300 });
const fileName = fc
  .tuple(
    fc.string({ minLength: 1, maxLength: 40 }).map((text) => text.toWellFormed().replaceAll("\0", "_")),
    fc.constantFrom("", ".png", ".TXT", ".tar.gz", "/..", ".a b"),
  )
  .map(([stem, ending]) => stem + ending);

describe.each(engines)("an export with files from %s", (engine) => {
  test("can be imported into another server with its files, and back", async () => {
    const here = await startTestServer({ engine });
    const there = await startTestServer({ engine: engines.find((each) => each !== engine) ?? engine });
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fileName, bytes), { minLength: 1, maxLength: 4 }),
          fc.array(
            fc.array(fc.tuple(fc.nat(), fc.constantFrom("lasting", "own", "inWords")), { maxLength: 4 }),
            { minLength: 1, maxLength: 3 },
          ),
          async (files, threads) => {
            const [ada, ben, cora] = [here.inNewWorkspace(), there.inNewWorkspace(), here.inNewWorkspace()];
            const sent: UploadTarget[] = [];
            for (const [name, content] of files) sent.push(await attach(ada, name, content));
            const told: unknown[] = [];
            for (const spoken of threads) {
              const texts = spoken.map(([at, how]) => mentions[how as "own"](sent[at % sent.length]!));
              told.push(await seenBy(ada, (await speak(ada, ...texts)).thread_id));
            }
            const mentioned = new Set(threads.flat().map(([at]) => at % sent.length)).size;
            for (const [from, to] of [
              [ada, ben],
              [ben, cora],
            ] as const) {
              const report = await importFile(to, await exportAll(from));
              expect(report.end).toMatchObject({ added: threads.length, files: mentioned, missing_files: 0 });
              const seen = [];
              for (const { thread_id: id } of report.threads) seen.push(await seenBy(to, id!));
              expect(seen.map((each) => JSON.stringify(each)).toSorted()).toEqual(
                told.map((each) => JSON.stringify(each)).toSorted(),
              );
            }
          },
        ),
        { numRuns: 8, endOnFailure: true },
      );
    } finally {
      await here.close();
      await there.close();
    }
  }, 60_000);
});

describeServer("a store that lost bytes", {}, (server) => {
  test("does not prevent the export of everything else, and the file is marked as missing", async () => {
    const ada = server().inNewWorkspace();
    const [lost, kept] = [
      await attach(ada, "lost.bin", randomBytes(50)),
      await attach(ada, "kept.bin", randomBytes(50)),
    ];
    await speak(ada, mentions.own(lost), mentions.own(kept));
    await rm(join(server().place.dataDir, "files", "kept", lost.file_id.slice(-2)), { recursive: true });
    const zip = await exportAll(ada);
    const inside = await unzipped(zip);
    const thread = JSON.parse(
      [...inside].find(([name]) => name.endsWith(".json") && name.startsWith("threads/"))![1].toString(),
    ) as ExportedThread;
    expect(thread.files).toHaveLength(2);
    expect([...inside.keys()].filter((name) => name.startsWith("files/"))).toHaveLength(1);
    const report = await importFile(server().inNewWorkspace("ben"), zip);
    expect(outcomesOf(report)).toEqual(["added"]);
    expect(report.threads[0]).toMatchObject({ files: 1, missing: [{ name: "lost.bin" }] });
  });
});
