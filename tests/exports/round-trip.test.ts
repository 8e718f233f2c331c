import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { ExportedMessage, ExportedThread } from "#contract/endpoints/exports.ts";
import { newId } from "#contract/ids.ts";
import { runNoteKinds } from "#contract/run-events.ts";
import { exportAll, exportThread, importFile, outcomesOf } from "../support/clients/transfer.ts";
import { anyContent, hostileContents } from "../support/data/hostile-contents.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test, startTestServer } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const day = 86_400_000;
const moment = fc
  .integer({ min: Date.UTC(2020, 0, 1), max: Date.now() - day })
  .map((ms) => new Date(ms).toISOString());
const label = fc
  .string({ minLength: 1, maxLength: 40 })
  .map((text) => text.toWellFormed().replaceAll("\0", "_"));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 });

/** A message whose parent is an earlier one. */
const message = (index: number): fc.Arbitrary<ExportedMessage & { below: number | null }> =>
  fc.record({
    id: fc.constant("").map(() => newId("message")),
    below: index === 0 ? fc.constant(null) : maybe(fc.integer({ min: 0, max: index - 1 })),
    parent_id: fc.constant(null),
    external_id: maybe(fc.uuid()),
    role: fc.constantFrom("user", "assistant", "system"),
    format: fc.constantFrom("aui/v0", "ai-sdk/v6", "my-own/v1"),
    status: fc.constantFrom(
      { type: "complete", reason: "stop", error_code: null },
      { type: "incomplete", reason: "interrupted", error_code: null },
      { type: "incomplete", reason: "error", error_code: "provider-silent" },
    ),
    made_by: maybe(
      fc.record({
        assistant_id: maybe(label),
        assistant_name: maybe(label),
        model: maybe(label),
        notes: fc.array(fc.record({ kind: fc.constantFrom(...runNoteKinds), name: label }), { maxLength: 2 }),
      }),
    ),
    is_pinned: fc.boolean(),
    created_at: moment,
    updated_at: moment,
    content: anyContent,
  });

/** Any possible thread: a forest of messages of the web app and of protocol clients. */
const anyThread: fc.Arbitrary<ExportedThread> = fc
  .integer({ min: 0, max: 12 })
  .chain((count) =>
    fc.record({
      title: maybe(label),
      source: fc.constantFrom("person", "model", "fallback"),
      external: maybe(label),
      flags: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
      metadata: maybe(anyContent),
      names: fc.tuple(maybe(label), maybe(label)),
      times: fc.tuple(moment, moment, moment),
      shown: fc.nat(),
      thumbs: fc.array(fc.nat(), { maxLength: 3 }),
      messages: fc.tuple(...Array.from({ length: count }, (_, index) => message(index))),
    }),
  )
  .map(({ messages: drawn, ...rest }) => {
    const messages = drawn.map(({ below, ...each }) => ({
      ...each,
      parent_id: below === null ? null : drawn[below]!.id,
    }));
    const leaves = messages.filter(({ id }) => !messages.some((each) => each.parent_id === id));
    const judged = new Set(
      rest.thumbs.filter(() => messages.length > 0).map((at) => messages[at % messages.length]!.id),
    );
    const [archived, pinned, deleted, local] = rest.flags;
    return {
      format: "parlance-thread",
      version: 1,
      exported_at: "",
      thread: {
        id: newId("thread"),
        title: rest.title,
        title_source: rest.title === null ? null : rest.source,
        external_id: rest.external,
        is_archived: archived,
        is_pinned: pinned,
        local_only: local,
        metadata: rest.metadata,
        assistant_id: rest.names[0],
        model: rest.names[1],
        created_at: rest.times[0],
        updated_at: rest.times[1],
        last_message_at: rest.times[2],
        deleted_at: deleted ? new Date(Math.floor(Date.now() / 1_000) * 1_000 - day).toISOString() : null,
      },
      shown: leaves.length === 0 ? null : leaves[rest.shown % leaves.length]!.id,
      scores: [...judged].map((id) => ({
        message_id: id,
        name: "feedback",
        data_type: "boolean",
        value: 1,
        string_value: null,
        comment: "So it is.",
        created_at: rest.times[0],
        updated_at: rest.times[1],
      })),
      files: [],
      messages,
    };
  });

/** What two exports of one thread have in common. Messages are sorted by position and time. */
function comparable(thread: ExportedThread): unknown {
  const sorted = <T extends { id?: string; message_id?: string | null }>(list: T[]) =>
    list.toSorted((a, b) => ((a.id ?? a.message_id)! < (b.id ?? b.message_id)! ? -1 : 1));
  return { ...thread, exported_at: "", messages: sorted(thread.messages), scores: sorted(thread.scores) };
}

/** Replaces ids by names, to compare copies with other ids. */
function withoutIds(thread: ExportedThread): unknown {
  const names = new Map([[thread.thread.id, "the thread"]]);
  const order = thread.messages.toSorted((a, b) =>
    JSON.stringify(a.content) < JSON.stringify(b.content) ? -1 : 1,
  );
  for (const [index, { id }] of order.entries()) names.set(id, `message ${index}`);
  const scores = thread.scores.toSorted((a, b) =>
    names.get(a.message_id ?? "")! < names.get(b.message_id ?? "")! ? -1 : 1,
  );
  const text = JSON.stringify({ ...thread, exported_at: "", messages: order, scores });
  return [...names].reduce((named, [id, name]) => named.replaceAll(`"${id}"`, `"${name}"`), text);
}

async function forget(owner: Visitor, threadId: string): Promise<void> {
  await owner.ask("threads.remove", { params: { thread_id: threadId } });
  await owner.call("trash.remove", { params: { thread_id: threadId } });
}

async function exported(owner: Visitor, thread: ExportedThread): Promise<ExportedThread> {
  const params = { thread_id: thread.thread.id };
  const isThrown = thread.thread.deleted_at !== null;
  // Threads in the trash are only in an export of everything.
  if (isThrown) await owner.call("threads.restore", { params });
  const out = await exportThread(owner, thread.thread.id);
  if (!isThrown) return out;
  return {
    ...out,
    thread: { ...out.thread, deleted_at: thread.thread.deleted_at, updated_at: thread.thread.updated_at },
  };
}

describeServer("an export", {}, (server) => {
  test("is imported as it was, even after the thread was deleted", async ({ ada }) => {
    await fc.assert(
      fc.asyncProperty(anyThread, async (thread) => {
        const first = await importFile(ada, JSON.stringify(thread));
        expect(first.threads).toMatchObject([{ outcome: "added", thread_id: thread.thread.id, error: null }]);
        const out = await exported(ada, thread);
        expect(comparable(out)).toEqual(comparable(thread));
        await forget(ada, thread.thread.id);
        expect(outcomesOf(await importFile(ada, JSON.stringify(out)))).toEqual(["added"]);
        expect(comparable(await exported(ada, thread))).toEqual(comparable(out));
        await forget(ada, thread.thread.id);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 60_000);

  test("is the same for another person, with other ids, once", async ({ ada }) => {
    const ben = server().inNewWorkspace("ben");
    await fc.assert(
      fc.asyncProperty(anyThread, async (thread) => {
        // With equal contents, messages could not be told apart.
        const contents = thread.messages.map(({ content }) => JSON.stringify(content));
        fc.pre(new Set(contents).size === contents.length && thread.thread.deleted_at === null);
        await importFile(ada, JSON.stringify(thread));
        const out = await exportThread(ada, thread.thread.id);
        const [taken] = (await importFile(ben, JSON.stringify(out))).threads;
        expect(taken).toMatchObject({ outcome: "added" });
        expect(taken!.thread_id).not.toBe(thread.thread.id);
        expect(withoutIds(await exportThread(ben, taken!.thread_id!))).toEqual(withoutIds(out));
        expect((await importFile(ben, JSON.stringify(out))).threads).toMatchObject([
          { outcome: "unchanged", thread_id: taken!.thread_id },
        ]);
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 60_000);

  test("restores messages that were deleted since and whose children moved up", async ({ ada }) => {
    const body = { last_message_at: new Date().toISOString() };
    const { thread_id } = await ada.call("threads.create", { body });
    const params = { thread_id };
    const ids: string[] = [];
    for (const text of ["zero", "one", "two", "three"]) {
      const content = { role: "user", content: [{ type: "text", text }] };
      const message = { parent_id: ids.at(-1) ?? null, format: "aui/v0", content };
      ids.push((await ada.call("messages.add", { params, body: message })).message_id);
    }
    const before = await exportThread(ada, thread_id);
    const [, one, two, three] = ids;
    await ada.call("messages.remove", { params, body: { message_ids: [one!, three!] } });
    const now = await exportThread(ada, thread_id);
    expect(now.messages.map(({ id, parent_id }) => [id, parent_id])).toEqual([
      [ids[0], null],
      [two, ids[0]],
    ]);
    expect(outcomesOf(await importFile(ada, JSON.stringify(now)))).toEqual(["unchanged"]);
    // Deleted messages are restored below their former parents. Existing ones stay where they are.
    expect(outcomesOf(await importFile(ada, JSON.stringify(before)))).toEqual(["updated"]);
    const { messages } = await ada.call("messages.list", { params });
    expect(new Map(messages.map(({ id, parent_id, height }) => [id, [parent_id, height]]))).toEqual(
      new Map([
        [ids[0], [null, 0]],
        [one, [ids[0], 1]],
        [two, [ids[0], 1]],
        [three, [two, 2]],
      ]),
    );
  });

  test("keeps unusual characters exactly", async ({ ada }) => {
    const { thread_id: threadId } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    for (const content of Object.values(hostileContents))
      await ada.call("messages.add", {
        params: { thread_id: threadId },
        body: { parent_id: null, format: "my-own/v1", content },
      });
    const zip = await exportAll(ada);
    await forget(ada, threadId);
    expect(outcomesOf(await importFile(ada, zip))).toEqual(["added"]);
    const back = await ada.send("GET", `/v1/threads/${threadId}/export`);
    for (const content of Object.values(hostileContents))
      expect(back.text).toContain(JSON.stringify(content));
  });
});

describe("a zip from one engine", () => {
  // With SQLite alone there is no other engine.
  test.runIf(engines.includes("postgres"))("can be imported into the other and back unchanged", async () => {
    const servers = [
      await startTestServer({ engine: "sqlite" }),
      await startTestServer({ engine: "postgres" }),
    ];
    try {
      const [here, there] = servers.map((server) => server.inNewWorkspace());
      const threads = fc.sample(anyThread, 6);
      for (const thread of threads) await importFile(here!, JSON.stringify(thread));
      const zip = await exportAll(here!);
      expect(outcomesOf(await importFile(there!, zip))).toEqual(threads.map(() => "added"));
      for (const thread of threads) await forget(here!, thread.thread.id);
      expect(outcomesOf(await importFile(here!, await exportAll(there!)))).toEqual(
        threads.map(() => "added"),
      );
      for (const thread of threads)
        expect(comparable(await exported(here!, thread))).toEqual(comparable(thread));
    } finally {
      for (const server of servers) await server.close();
    }
  });
});
