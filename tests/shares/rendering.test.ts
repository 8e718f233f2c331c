import { access, cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readArchive } from "#storage/backup/archive.ts";
import { archiveFile } from "#storage/backup/archive-file.ts";
import { createOwner, join as joinServer, type Browser } from "../support/clients/browser.ts";
import { newAddress } from "../support/clients/visitor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { builtShareRenderers } from "../support/servers/built-share-renderers.ts";
import { runCommand } from "../support/servers/cli.ts";
import { describeServer, newPlace, startTestServer, type TestServer } from "../support/servers/server.ts";
import { storeMessages } from "../search/store-messages.ts";
import { ask, createReader, loadMs, loadPages, share, shareWith, uploadPicture } from "./sharing.ts";

const plainNote = "This message is shown without its formatting";
const busyNote = "Too much was opened in a short time.";

/**
 * A renderer that never ends with a message that has the word "endless", unless it shows it as plain text. It waits for the
 * file `go` with one that has the word "waiting", and adds `mark`. Its build is the same for each mark.
 */
async function rendererWith({ mark = "", comment = "" } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parlance-share-"));
  await cp(await builtShareRenderers(), folder, { recursive: true });
  await rename(join(folder, "messages.js"), join(folder, "original.js"));
  await writeFile(join(folder, "mark.js"), `export const mark = ${JSON.stringify(mark)};`);
  await writeFile(
    join(folder, "messages.js"),
    `import { existsSync, writeFileSync } from "node:fs";
    import { createMessageRenderer as create } from "./original.js";
    import { mark } from "./mark.js";
    export async function createMessageRenderer() {
      const { renderMessage } = await create();
      return {
        renderMessage(message, options) {
          const text = options.isPlain ? "" : JSON.stringify(message.parts);
          while (text.includes("endless"));
          if (text.includes("waiting")) writeFileSync(new URL("./began", import.meta.url), "");
          while (text.includes("waiting") && !existsSync(new URL("./go", import.meta.url)));
          return renderMessage(message, options) + mark;
        },
      };
    }
    // ${comment}`,
  );
  return folder;
}

const rowsIn = async (server: Pick<TestServer, "place">, where = "true") =>
  await rawSql(
    server.place,
    async (run) => await run(`select message_id, language from rendered_messages where ${where}`),
  );

/** Waits until so many rendered messages are stored. */
async function stored(server: Pick<TestServer, "place">, count: number, where?: string): Promise<void> {
  await expect.poll(async () => await rowsIn(server, where)).toHaveLength(count);
}

let slowRenderer: Promise<string> | undefined;
const slowly = { buildShareRenderers: async () => await (slowRenderer ??= rendererWith()) };

describeServer("a shared message that takes too long to render", slowly, (server) => {
  test(
    "is shown as plain text, and others are answered meanwhile",
    async () => {
      await loadPages(server().url);
      const owner = await createOwner(server());
      const texts = ["Ask", "*first* <i>", "Again", "endless *words* <i>", "More", "**after** it"];
      const { threadId } = await storeMessages(owner, texts);
      const { path } = await share(owner, threadId);
      const page = createReader(server().url).open(path);
      const health = fetch(`${server().url}/healthz`, { headers: newAddress() });
      const first = await Promise.race([page.then(() => "page"), health.then(() => "health")]);
      expect(first).toBe("health");
      expect((await health).status).toBe(200);
      const { text } = await page;
      expect(text).toContain("<em>first</em>");
      expect(text).toContain("endless *words* &lt;i&gt;");
      expect(text).toContain("<strong>after</strong>");
      expect(text.split(plainNote)).toHaveLength(2);
      // Also for others, without rendering it again. It is not stored: the machine may only have been busy.
      await stored(server(), texts.length - 1);
      expect((await createReader(server().url).open(path)).text).toBe(text);
    },
    loadMs,
  );
});

describeServer("a shared message that is changed while it is rendered", slowly, (server) => {
  test(
    "is not kept as it was",
    async () => {
      await loadPages(server().url);
      const person = await createOwner(server());
      const { threadId, ids } = await storeMessages(person, ["Ask", "waiting secret"]);
      const { path } = await share(person, threadId);
      const began = join(await slowRenderer!, "began");
      for (const file of ["began", "go"]) await rm(join(await slowRenderer!, file), { force: true });
      const page = createReader(server().url).open(path);
      await vi.waitFor(async () => await access(began), { timeout: 10_000 });
      await person.call("messages.update", {
        params: { thread_id: threadId, message_id: ids[1]! },
        body: { content: { role: "assistant", content: [{ type: "text", text: "Changed" }] } },
      });
      await writeFile(join(await slowRenderer!, "go"), "");
      const { text } = await page;
      expect(text).toContain("waiting secret");
      expect(text).not.toContain(plainNote);
      await stored(server(), 1, `message_id = '${ids[0]!}'`);
      expect(await rowsIn(server(), `message_id = '${ids[1]!}'`)).toEqual([]);
      expect((await createReader(server().url).open(path)).text).toContain("Changed");
    },
    loadMs,
  );
});

describeServer("the stored HTML of messages", {}, (server, engine) => {
  test(
    "is bounded: the oldest is deleted",
    async () => {
      await loadPages(server().url);
      const owner = await createOwner(server());
      const { threadId, ids } = await storeMessages(owner, ["Where?", "Here"]);
      const { id, path } = await share(owner, threadId);
      // 500 rows that claim to have 1 MiB each.
      const values = Array.from(
        { length: 500 },
        (_, i) => `('${id}', '${ids[0]!}', 'x${String(i).padStart(3, "0")}', 'b', 'v', '', 1048576, ${i})`,
      );
      await rawSql(
        server().place,
        async (run) =>
          await run(
            `insert into rendered_messages
              (share_id, message_id, language, build, version, html, size_bytes, rendered_at)
              values ${values.join(", ").replaceAll("''", engine === "postgres" ? "''::bytea" : "x''")}`,
          ),
      );
      await createReader(server().url).open(path);
      await stored(server(), 63, "language like 'x%'");
      const left = await rowsIn(server(), "language like 'x%'");
      expect(left.map(({ language }) => language)).not.toContain("x436");
      await stored(server(), 2, "language = 'en'");
    },
    loadMs,
  );
});

describe.each(engines)("a rendered message (%s)", (engine) => {
  test(
    "is kept when the server restarts, but neither by another build nor in a backup",
    async () => {
      const place = await newPlace(engine);
      const start = async (options: { mark: string; comment?: string }) =>
        await startTestServer({
          engine,
          place,
          buildShareRenderers: async () => await rendererWith(options),
        });
      try {
        const one = await start({ mark: "<!-- one -->" });
        await loadPages(one.url);
        const owner = await createOwner(one);
        const { threadId, ids } = await storeMessages(owner, ["Where?", "At the *gate* \u0001"]);
        const { path } = await share(owner, threadId);
        const { text } = await createReader(one.url).open(path);
        expect(text).toContain("<em>gate</em> \uFFFD");
        expect(text.split("<!-- one -->")).toHaveLength(3);
        await one.close();

        const again = await start({ mark: "<!-- two -->" });
        const later = await createReader(again.url).open(path);
        expect(later.text.slice(later.text.indexOf("<body"))).toBe(text.slice(text.indexOf("<body")));
        const archive = join(place.dataDir, "copy.parlance");
        expect(await runCommand(place, ["backup", archive])).toMatchObject({ code: 0 });
        const tables: string[] = [];
        for await (const line of readArchive(archiveFile(archive)))
          if (line.type === "table") tables.push(line.name);
        expect(tables).toContain("shares");
        expect(tables).not.toContain("rendered_messages");
        await again.close();

        const other = await start({ mark: "<!-- three -->", comment: "changed" });
        expect((await createReader(other.url).open(path)).text.split("<!-- three -->")).toHaveLength(3);
        await stored(other, ids.length);
        await other.close();
      } finally {
        await place.remove();
      }
    },
    loadMs,
  );
});

describeServer("the rendered messages of a link", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    owner = await createOwner(server());
    ada = await joinServer(owner, { email: "ada@example.com" });
  }, loadMs);
  const reader = () => createReader(server().url);

  test("are separate for each language and for each link", async () => {
    const { threadId } = await storeMessages(ada, ["Where is the bed?", "By the *wall*"]);
    const [one, other] = [await share(ada, threadId), await share(ada, threadId, { all_branches: true })];
    const english = await reader().open(one.path);
    const arabic = await reader().open(one.path, { "Accept-Language": "ar" });
    expect(english.text).toContain(">Question</h2>");
    expect(arabic.text).toContain('dir="rtl"');
    expect(arabic.text).not.toContain(">Question</h2>");
    expect((await reader().open(one.path)).text).toBe(english.text);
    await reader().open(other.path);
    await stored(server(), 4, `share_id = '${one.id}'`);
    await stored(server(), 2, `share_id = '${other.id}'`);
  });

  test("go with the message, with the link and with the person", async () => {
    const ben = await joinServer(owner, { email: "ben-rendered@example.com" });
    const { threadId, ids } = await storeMessages(ben, [
      "Where is the pond?",
      "Behind",
      "And the path?",
      "Left",
    ]);
    const [one, other] = [await share(ben, threadId), await share(ben, threadId)];
    const shares = `share_id in ('${one.id}', '${other.id}')`;
    for (const { path } of [one, other]) await reader().open(path);
    await stored(server(), 8, shares);
    await ben.call("shares.revoke", { params: { share_id: one.id } });
    await stored(server(), 4, shares);
    await ben.call("messages.remove", { params: { thread_id: threadId }, body: { message_ids: [ids[1]!] } });
    await stored(server(), 3, shares);
    expect((await reader().open(other.path)).text).not.toContain("Behind");
    await ben.call("erasure.everything");
    await stored(server(), 0, shares);
  });

  test("go when their author is erased from somebody else's thread", async () => {
    const cleo = await joinServer(owner, { email: "cleo-rendered@example.com" });
    const { threadId, ids } = await storeMessages(ada, ["Who writes here?", "Ada"]);
    await shareWith(ada, threadId, cleo);
    const { messageId: written } = await ask(cleo, "And Cleo", { threadId, parentId: ids[1]! });
    const { path } = await share(ada, threadId, { is_live: true });
    expect((await reader().open(path)).text).toContain("And Cleo");
    await stored(server(), 1, `message_id = '${written}'`);
    await cleo.call("erasure.everything");
    await stored(server(), 0, `message_id = '${written}'`);
    await stored(server(), 1, `message_id = '${ids[0]!}'`);
    expect((await reader().open(path)).text).not.toContain("And Cleo");
  });

  test("have the files of a very long message, and not those in what is hidden", async () => {
    const [shown, hidden] = [await uploadPicture(ada), await uploadPicture(ada)];
    const { thread_id: threadId } = await ada.call("threads.create", {
      body: { last_message_at: new Date(0).toISOString() },
    });
    const words = "word ".repeat(50_000);
    const content = [
      { type: "reasoning", text: hidden.url },
      { type: "text", text: `${words} ${shown.url}` },
    ];
    await ada.call("messages.add", {
      params: { thread_id: threadId },
      body: { parent_id: null, format: "aui/v0", content: { role: "assistant", content } },
    });
    const { path } = await share(ada, threadId, { with_files: true });
    expect(await reader().file(`${path}/files/${shown.id}`)).toEqual(shown.bytes);
    expect(await reader().file(`${path}/files/${hidden.id}`)).toBeUndefined();
  });

  test("are not shown to a reader who may not open the link", async () => {
    const { threadId } = await storeMessages(ada, ["Where is the key?", "Under the *stone*"]);
    const { path } = await share(ada, threadId, { password: "garden gate" });
    const friend = reader();
    await friend.enter(path, "garden gate");
    expect((await friend.open(path)).text).toContain("<em>stone</em>");
    const stranger = await reader().open(path);
    expect(stranger.status).toBe(401);
    expect(stranger.text).not.toContain("Under the");
    expect((await reader().open(`${path}/live`)).status).toBe(404);
  });
});

describeServer("the time of rendering", { model: true, shareRenderMsPerMinute: 0 }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    owner = await createOwner(server());
  }, loadMs);
  const linkTo = async (texts: string[], options: { is_live?: boolean } = {}) => {
    const { threadId } = await storeMessages(owner, texts);
    return await share(owner, threadId, options);
  };

  test("is limited for each reader and each link, until a minute is over", async () => {
    const [one, other] = [
      await linkTo(["One?", "*one*"]),
      await linkTo(["Two?", "*two*"], { is_live: true }),
    ];
    const [hasty, calm] = [createReader(server().url), createReader(server().url)];
    expect((await hasty.open(one.path)).text).toContain("<em>one</em>");
    // What is rendered already costs nothing.
    expect((await hasty.open(one.path)).text).toContain("<em>one</em>");
    for (const path of [other.path, `${other.path}/live`]) {
      const refused = await hasty.open(path);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.text).toContain(busyNote);
    }
    const page = await calm.open(other.path);
    expect(page.text).toContain("<em>two</em>");
    expect((await calm.open(other.path, { "Accept-Language": "ar" })).status).toBe(429);
    server().clock.advance(60_001);
    expect((await calm.open(other.path, { "Accept-Language": "ar" })).text).toContain("<em>two</em>");
  });

  test("ends within a page, whose rest is plain text until it is rendered later", async () => {
    server().clock.advance(60_001);
    const long = "word ".repeat(2_000);
    const { path } = await linkTo(["One?", `*one* ${long}`, "Two?", `*two* ${long}`]);
    const reader = createReader(server().url);
    const first = await reader.open(path);
    expect(first.status).toBe(200);
    expect(first.text).toContain("One?");
    expect(first.text).toContain("*two* word");
    expect(first.text).toContain(plainNote);
    for (let page = first; page.text.includes(plainNote); page = await reader.open(path))
      server().clock.advance(60_001);
    expect((await reader.open(path)).text).toContain("<em>two</em>");
  });
});
