import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { document } from "#fixtures/pdf/write.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, newPlace, startTestServer } from "../support/servers/server.ts";
import { ask, askIn, groupOf, idOf, idsOfShared, shareWith, unshare, uploadPicture } from "./sharing.ts";

describeServer("a shared thread", { model: true }, (server) => {
  let owner: Browser;
  let ada: Browser;
  let ben: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
    ben = await join(owner, { email: "ben@example.com" });
  });

  test("shows everyone the questions and the answers as they are written", async () => {
    const { threadId, replyId } = await ask(ada, "Who begins?");
    const feed = await ben.live({ stream_id: newId("stream") });
    await feed.until(({ data }) => data.type === "hello");
    await shareWith(ada, threadId, ben);
    const isShared = ({ data }: { data: unknown }) => JSON.stringify(data).includes('"access":"write"');
    await feed.until(isShared);
    const own = await ada.live();
    await own.until(({ data }) => data.type === "hello");
    const started = await askIn(ben, threadId, replyId, "Who is second?\ntokens=5 gap=20");
    for (const stream of [feed, own])
      await stream.until(
        ({ data }) =>
          data.type === "change" && data.change.type === "run-put" && data.change.run_id === started.run_id,
      );
    for (const who of [ada, ben]) {
      const log = await (await who.events(started.run_id)).rest();
      expect(log.at(-1)!.data).toMatchObject({ type: "run-end", state: "completed" });
      const { messages } = await who.call("messages.branch", { params: { thread_id: threadId } });
      expect(messages.map(({ asked_by: asker }) => asker?.name)).toEqual(
        who === ada ? [undefined, undefined, "ben", undefined] : ["ada", undefined, undefined, undefined],
      );
    }
    feed.close();
    own.close();
  });

  test("does not show members the folder and the tags of the person who shares it", async () => {
    const { threadId } = await ask(ada, "Where do you sort this?");
    const [folder_id, tag_id] = [newId("label"), newId("label")];
    await ada.call("labels.put", { params: { label_id: folder_id }, body: { kind: "folder", name: "Work" } });
    await ada.call("labels.put", { params: { label_id: tag_id }, body: { kind: "tag", name: "Gossip" } });
    await ada.call("threads.update", {
      params: { thread_id: threadId },
      body: { folder_id, tag_ids: [tag_id] },
    });
    await shareWith(ada, threadId, ben);
    const { thread } = await ben.call("threads.get", { params: { thread_id: threadId } });
    expect(thread).toMatchObject({ folder_id: null, tag_ids: [] });
    const shared = JSON.stringify([thread, await ben.call("labels.list")]);
    for (const secret of ["Work", "Gossip", folder_id, tag_id]) expect(shared).not.toContain(secret);
    const put = await ben.ask("threads.update", {
      params: { thread_id: threadId },
      body: { folder_id: null },
    });
    expectProblem(put, "thread-not-found");
  });

  test("answers with what the asker says about themselves, and counts it for them", async () => {
    await ada.call("personalInstructions.put", { body: { instructions: "I am Ada, who likes engines." } });
    await ben.call("personalInstructions.put", { body: { instructions: "I am Ben, who likes looms." } });
    const { threadId, replyId, runId } = await ask(ada, "Who asks first here?");
    await shareWith(ada, threadId, ben);
    // The title is written in the background, and counts for Ada.
    await expect
      .poll(
        async () => (await ada.call("threads.get", { params: { thread_id: threadId } })).thread.title_source,
        { timeout: 10_000 },
      )
      .toBe("model");
    const before = await ada.call("usage.own", { query: {} });
    const second = await ask(ben, "And who asks secondly here?", { threadId, parentId: replyId });
    const [request] = await server().requestsWith("secondly here");
    expect(JSON.stringify(request)).toContain("likes looms");
    expect(JSON.stringify(request)).not.toContain("likes engines");
    expect(await ada.call("usage.own", { query: {} })).toEqual(before);
    const counted = (await ben.call("usage.own", { query: {} })).rows;
    expect(counted.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThan(0);
    expect(
      (await ben.call("runs.receipt", { params: { run_id: second.runId } })).receipt.requests,
    ).not.toEqual([]);
    for (const [who, run_id] of [
      [ada, second.runId],
      [ben, runId],
    ] as const)
      await who.fails("run-not-found", "runs.receipt", { params: { run_id } });
    // What Ben chose is for his question.
    expect((await ada.call("threads.get", { params: { thread_id: threadId } })).thread.model).toBeNull();
  });

  test("is recorded in the audit log with its members when they are added and removed", async () => {
    const { threadId } = await ask(ada, "Who may read this?");
    const benId = await idOf(ben);
    await shareWith(ada, threadId, ben);
    await unshare(ada, threadId, ben);
    const { entries } = await owner.call("audit.list", { query: { person: await idOf(ada) } });
    const found = entries.filter(({ details }) => details?.thread_id === threadId);
    expect(found.map(({ action, target }) => [action, target])).toEqual([
      ["thread-member-removed", benId],
      ["thread-member-set", benId],
    ]);
    expect(JSON.stringify(found)).not.toContain("Who may read");
  });

  test("lets a member use only the models that their own rights allow", async () => {
    const { threadId, replyId } = await ask(owner, "Which model is this?");
    await shareWith(owner, threadId, ben);
    const nothing = { models: [], assistants: null, tools: null, permissions: [] };
    await owner.call("accessSettings.put", { body: { member: nothing } });
    const params = { thread_id: threadId };
    const body = { message: { parent_id: replyId, content: userMessage("May I?") } };
    await ben.fails("model-not-allowed", "runs.start", { params, body });
    await owner.call("accessSettings.put", {
      body: {
        member: {
          models: null,
          assistants: null,
          tools: null,
          permissions: ["files.upload", "threads.share", "api-keys.use"],
        },
      },
    });
    await ask(ben, "And now?", { threadId, parentId: replyId });
  });

  test("spends the asker's budget", async () => {
    const { threadId, replyId } = await ask(ada, "Who pays?");
    await shareWith(ada, threadId, ben);
    const params = { budget_id: await idOf(ben) };
    const none = { tokens_per_month: null, usd_per_day: null, usd_per_month: null };
    await owner.call("budgets.put", { params, body: { ...none, tokens_per_day: 1 } });
    await ask(ben, "Ben pays", { threadId, parentId: replyId }).catch(() => undefined);
    const body = { message: { parent_id: replyId, content: userMessage("Ben cannot pay") } };
    await ben.fails("budget-used", "runs.start", { params: { thread_id: threadId }, body });
    await ask(ada, "Ada pays", { threadId, parentId: replyId });
    await owner.call("budgets.remove", { params });
  });

  test("keeps both questions when two people ask at the same time", async () => {
    const { threadId, replyId } = await ask(ada, "Who is faster?");
    await shareWith(ada, threadId, ben);
    const [first, second] = await Promise.all([
      askIn(ada, threadId, replyId, "Ada asks tokens=2"),
      askIn(ben, threadId, replyId, "Ben asks tokens=2"),
    ]);
    for (const { run_id: runId } of [first, second])
      await (await ada.events(runId)).until(({ data }) => data.type === "run-end");
    const { messages } = await ada.call("messages.branch", {
      params: { thread_id: threadId },
      query: { head: second.reply_id },
    });
    expect(messages.find(({ id }) => id === second.message_id)!.siblings.toSorted()).toEqual(
      [first.message_id, second.message_id].toSorted(),
    );
  });

  test("queues a member's question, which nobody else changes", async () => {
    const { threadId, replyId } = await ask(ada, "What is first?");
    await shareWith(ada, threadId, ben);
    const running = await askIn(ada, threadId, replyId, "What is long?\nendless gap=10");
    const body = {
      message: { parent_id: running.reply_id, queue: true, content: userMessage("Ben waits tokens=2") },
    };
    const params = { thread_id: threadId };
    const { queued } = await ben.call("runs.start", { params, body });
    const entry = { ...params, queued_id: queued!.id };
    const change = { content: userMessage("Ada pretends to be Ben") };
    await ada.fails("queued-not-found", "queue.update", { params: entry, body: change });
    await unshare(ada, threadId, ben);
    await ada.call("runs.stop", { params: { run_id: running.run_id } });
    // It would run with her rights and her budget.
    await ada.fails("queued-not-found", "queue.send", { params: entry });
    const { queue, messages } = await ada.call("messages.branch", { params });
    expect(queue).toMatchObject([{ id: queued!.id, asked_by: { name: "ben" } }]);
    expect(messages.map(({ id }) => id)).not.toContain(queued!.id);
    await shareWith(ada, threadId, ben);
    expect((await ben.ask("queue.send", { params: entry })).status).toBe(201);
  });

  test("sends a queued question although one before it may not be sent", async () => {
    const { threadId, replyId } = await ask(ada, "What is before?");
    await shareWith(ada, threadId, ben);
    const running = await askIn(ada, threadId, replyId, "What is slow?\ntokens=150 gap=20");
    const params = { thread_id: threadId };
    const queueFor = async (who: Visitor, text: string) => {
      const message = { parent_id: running.reply_id, queue: true, content: userMessage(text) };
      return (await who.call("runs.start", { params, body: { message } })).queued!;
    };
    const blocked = await queueFor(ben, "Ben may not tokens=2");
    const next = await queueFor(ada, "Ada may tokens=2");
    await unshare(ada, threadId, ben);
    await (await ada.events(running.run_id)).rest();
    const log = await (await ada.events(next.run_id)).rest();
    expect(log.at(-1)!.data).toMatchObject({ type: "run-end", state: "completed" });
    const { queue, messages } = await ada.call("messages.branch", { params });
    expect(messages.map(({ id }) => id)).toContain(next.id);
    expect(queue).toMatchObject([{ id: blocked.id, parent_id: next.reply_id }]);
  });

  test("shows its files to members, and to nobody else", async () => {
    const { id, url, bytes } = await uploadPicture(ada);
    const hidden = await uploadPicture(ada);
    const { threadId, replyId } = await ask(ada, "What is in this picture?", { file: url });
    await ask(ada, "And in this one?", { file: hidden.url });
    await shareWith(ada, threadId, ben);
    const read = async (who: Visitor, file: string) =>
      await fetch(`${server().url}/v1/files/${file}/content`, { headers: who.headers });
    const seen = await read(ben, id);
    expect(Buffer.from(await seen.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await read(ben, hidden.id)).status).toBe(404);
    const { messages } = await ben.call("messages.branch", { params: { thread_id: threadId } });
    // The address that opens the file for good stays with its owner.
    expect(JSON.stringify(messages)).toContain(`/v1/files/${id}/content`);
    expect(JSON.stringify(messages)).not.toContain("/v1/content/");
    // A member cannot read another file of the owner by naming it.
    await ask(ben, "And this?", { threadId, parentId: replyId, file: `/v1/files/${hidden.id}/content` });
    expect((await read(ben, hidden.id)).status).toBe(404);
    await unshare(ada, threadId, ben);
    expect((await read(ben, id)).status).toBe(404);
  });

  test("has the files that members attach, for their own quota", async () => {
    const { threadId, replyId } = await ask(ada, "Who brings a picture?");
    await shareWith(ada, threadId, ben);
    const bytes = await readFile("fixtures/files/garden.png");
    const body = { filename: "garden.png", thread_id: threadId };
    const upload = await ben.call("files.upload", { body });
    await fetch(upload.signedUrl, { method: "PUT", body: bytes });
    expect(await ben.call("files.get", { params: { file_id: upload.file_id } })).toMatchObject({
      threads: [],
    });
    await ask(ben, "Here it is.", { threadId, parentId: replyId, file: upload.publicUrl });
    const read = async (who: Visitor) =>
      await fetch(`${server().url}/v1/files/${upload.file_id}/content`, { headers: who.headers });
    for (const who of [ada, ben]) {
      const seen = await read(who);
      expect(Buffer.from(await seen.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const { used_bytes: used } = await ben.call("files.list");
    expect(used).toBe(bytes.length);
    await shareWith(ada, threadId, ben, "read");
    await ben.fails("thread-read-only", "files.upload", { body });
    await unshare(ada, threadId, ben);
    expect((await read(ben)).status).toBe(404);
  });

  const ends: Record<string, (threadId: string) => Promise<unknown>> = {
    "it is no longer shared": async (threadId) => await unshare(ada, threadId, ben),
    "it is deleted": async (threadId) =>
      await ada.call("threads.remove", { params: { thread_id: threadId } }),
    "the person leaves": async (threadId) => await unshare(ben, threadId, ben),
  };
  test.for(Object.entries(ends))("ends for a member at once when %s", async ([, end]) => {
    const { threadId, replyId } = await ask(ada, "How does it end?");
    await shareWith(ada, threadId, ben);
    const { run_id: runId } = await askIn(ada, threadId, replyId, "endless gap=10");
    const feed = await ben.live({ runs: `${runId}:0` });
    const events = await ben.events(runId);
    await feed.until(({ data }) => data.type === "run");
    await events.until(({ data }) => data.type === "text-delta");
    await end(threadId);
    await events.rest();
    const gone = await feed.until(({ data }) => data.type === "change" && data.change.type === "thread-gone");
    expect(JSON.stringify(gone.at(-1)!.data)).toContain(threadId);
    await ben.fails("thread-not-found", "threads.get", { params: { thread_id: threadId } });
    feed.close();
    await ada.call("runs.stop", { params: { run_id: runId } }).catch(() => undefined);
  });

  test("follows who belongs to a group", async () => {
    const { threadId, replyId } = await ask(ada, "Who belongs here?");
    const group = await groupOf(owner, "Weavers", ada);
    await shareWith(ada, threadId, group);
    const params = { thread_id: threadId };
    await ben.fails("thread-not-found", "threads.get", { params });
    const membership = { group_id: group, person_id: await idOf(ben) };
    await owner.call("groups.addMember", { params: membership });
    const { run_id: runId } = await askIn(ben, threadId, replyId, "endless gap=10");
    const events = await ben.events(runId);
    await events.until(({ data }) => data.type === "text-delta");
    await owner.call("groups.removeMember", { params: membership });
    await events.rest();
    await ben.fails("thread-not-found", "threads.get", { params });
    await ben.fails("run-not-found", "runs.stop", { params: { run_id: runId } });
    await ada.call("runs.stop", { params: { run_id: runId } });
  });

  test("shows the pages of its PDFs to members", async () => {
    const upload = await ada.call("files.upload", { body: { filename: "plan.pdf" } });
    await fetch(upload.signedUrl, { method: "PUT", body: document([{}, {}]) });
    const { threadId } = await ask(ada, "What is the plan?", { file: upload.publicUrl });
    const body = { file_url: `/v1/files/${upload.file_id}/content` };
    await ben.fails("file-not-found", "files.pdfToImages", { body });
    await shareWith(ada, threadId, ben, "read");
    expect((await ben.call("files.pdfToImages", { body })).urls).toHaveLength(2);
    await unshare(ada, threadId, ben);
    await ben.fails("file-not-found", "files.pdfToImages", { body });
    // The address names a file of a shared thread, but leads to another.
    const shared = await uploadPicture(ada);
    const open = await ask(ada, "What is here?", { file: shared.url });
    await shareWith(ada, open.threadId, ben);
    const file_url = `${server().url}${body.file_url}`.replace(/file_0\w+/, (id) => `${shared.id}/../${id}`);
    await ben.fails("file-not-found", "files.pdfToImages", { body: { ...body, file_url } });
  });

  test.for([
    ["cleo", true],
    ["cora", false],
  ] as const)("stops the answers to %s, who is suspended (still a member: %s)", async ([name, isMember]) => {
    const { threadId, replyId } = await ask(ada, "Who is next?");
    const cleo = await join(owner, { email: `${name}@example.com` });
    await shareWith(ada, threadId, cleo);
    const { run_id: runId } = await askIn(cleo, threadId, replyId, "endless gap=10");
    const events = await ada.events(runId);
    await events.until(({ data }) => data.type === "text-delta");
    const params = { person_id: await idOf(cleo) };
    if (!isMember) await unshare(ada, threadId, cleo);
    await owner.call("people.update", { params, body: { is_suspended: true } });
    expect((await events.rest()).at(-1)!.data).toMatchObject({ type: "run-end", state: "cancelled" });
    await cleo.fails("token-expired", "threads.get", { params: { thread_id: threadId } });
  });

  test("says for some seconds who is typing", async () => {
    const { threadId } = await ask(ada, "Who types?");
    const params = { thread_id: threadId };
    await shareWith(ada, threadId, ben);
    const feed = await ada.live();
    await feed.until(({ data }) => data.type === "hello");
    await ben.call("threadMembers.typing", { params });
    const [typing] = (
      await feed.until(({ data }) => data.type === "change" && data.change.type === "typing-put")
    ).slice(-1);
    expect(typing!.data).toMatchObject({ change: { thread_id: threadId, name: "ben" } });
    feed.close();
  });

  test("is shared by its owner, with people and groups that exist", async () => {
    const { threadId } = await ask(ada, "Who may share?");
    const put = async (who: Visitor, member_id: string) =>
      await who.ask("threadMembers.put", {
        params: { thread_id: threadId, member_id },
        body: { access: "read" },
      });
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession", {});
    for (const id of ["nobody", await idOf(guest), await idOf(ada)])
      expectProblem(await put(ada, id), "member-not-found");
    const others = await groupOf(owner, "Strangers", owner);
    expectProblem(await put(ada, others), "member-not-found");
    expectProblem(await put(guest, await idOf(ben)), "not-allowed");
    expectProblem(await put(ben, await idOf(owner)), "thread-not-found");
    expect(
      (await ada.call("threadMembers.threads", { query: { by: "me" } })).threads.map(({ id }) => id),
    ).not.toContain(threadId);
    expect((await put(ada, await idOf(ben))).status).toBe(200);
    expect((await ada.call("threadMembers.threads", { query: { by: "me" } })).threads[0]).toMatchObject({
      id: threadId,
      sharing: { access: "owner" },
    });
    await ben.fails("thread-not-found", "threadMembers.remove", {
      params: { thread_id: threadId, member_id: await idOf(ada) },
    });
    const { candidates } = await ada.call("threadMembers.find", { query: { search: "BEN@" } });
    expect(candidates).toEqual([
      { id: await idOf(ben), kind: "person", name: "ben", email: "ben@example.com" },
    ]);
    expect((await ada.call("threadMembers.find", { query: { search: "strangers" } })).candidates).toEqual([]);
    expect(
      (await owner.call("threadMembers.find", { query: { search: "strangers" } })).candidates,
    ).toHaveLength(1);
  });

  test("is not in a member's exports, and leaves with the owner's account", async () => {
    const { threadId } = await ask(ada, "What is exported?");
    await shareWith(ada, threadId, ben);
    const exported = await ben.send("GET", "/v1/export?format=json");
    expect(exported.text).not.toContain("What is exported?");
    expect(await idsOfShared(ben)).toContain(threadId);
    const feed = await ben.live();
    await feed.until(({ data }) => data.type === "hello");
    await owner.call("people.remove", { params: { person_id: await idOf(ada) } });
    expect(await idsOfShared(ben)).not.toContain(threadId);
    const isGone = ({ data }: { data: unknown }) =>
      JSON.stringify(data).includes(`"thread-gone","thread_id":"${threadId}"`);
    await feed.until(isGone);
    feed.close();
    // What it said before, with the title, is erased.
    const again = await ben.live({ after: 0 });
    const seen = await again.until(({ data }) => data.type === "reset");
    expect(JSON.stringify(seen)).not.toContain("What is exported?");
    again.close();
  });
});

test.skipIf(!engines.includes("postgres"))(
  "ends in another process at once, as everything does for somebody who is suspended",
  async () => {
    const place = await newPlace("postgres");
    // No page asks again by itself.
    const heartbeatMs = 3_600_000;
    const first = await startTestServer({ engine: "postgres", model: true, place, heartbeatMs });
    const second = await startTestServer({ engine: "postgres", place, heartbeatMs });
    try {
      const owner = await openToEveryone(await createOwner(first));
      const ben = await join(owner, { email: "ben@example.com" });
      const { threadId, replyId } = await ask(owner, "Where does it end?");
      await shareWith(owner, threadId, ben);
      const { run_id: runId } = await askIn(owner, threadId, replyId, "endless gap=10");
      const elsewhere = openBrowser(second.url);
      // The cookie's name has the port of the server.
      const [firstPort, secondPort] = [new URL(first.url).port, new URL(second.url).port];
      elsewhere.headers["Cookie"] = ben.cookie()!.replace(firstPort, secondPort);
      const events = await elsewhere.events(runId);
      await events.until(({ data }) => data.type === "text-delta");
      await unshare(owner, threadId, ben);
      await events.rest();
      // A suspension ends everything that the person has open, too.
      await shareWith(owner, threadId, ben);
      const [again, feed] = [await elsewhere.events(runId), await elsewhere.live()];
      await again.until(({ data }) => data.type === "text-delta");
      await feed.until(({ data }) => data.type === "hello");
      const params = { person_id: await idOf(ben) };
      await owner.call("people.update", { params, body: { is_suspended: true } });
      await Promise.all([again.rest(), feed.rest()]);
      await elsewhere.fails("token-expired", "auth.me");
      await owner.call("runs.stop", { params: { run_id: runId } });
    } finally {
      await second.close();
      await first.close();
      await place.remove();
    }
  },
);
