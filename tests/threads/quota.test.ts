import { expect } from "vitest";
import { createOwner, join } from "../support/clients/browser.ts";
import { ask, shareWith } from "../shares/sharing.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { attach } from "../support/data/files.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { exportThread, importFile } from "../support/clients/transfer.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const KiB = 1024;
const settings = { FILES_PER_PERSON_MIB: "1" };

describeServer("the storage quota", { model: true, settings }, (server) => {
  const createThread = async (who: Visitor): Promise<{ thread_id: string }> =>
    await who.call("threads.create", { body: { last_message_at: new Date().toISOString() } });
  // A text that is not in a part is stored twice on every engine.
  const content = (kibibytes: number) => ({ role: "user", content: "x".repeat(kibibytes * KiB) });
  const add = async (who: Visitor, params: { thread_id: string }, kibibytes: number) =>
    await who.ask("messages.add", {
      params,
      body: { parent_id: null, format: "aui/v0", content: content(kibibytes) },
    });
  const usedBytes = async (who: Visitor) => (await who.call("files.list", { query: {} })).used_bytes;

  test("counts messages and answers together with files, and deleting frees storage", async () => {
    const ada = server().inNewWorkspace("ada_with_quota");
    const thread = await createThread(ada);
    expect((await add(ada, thread, 200)).status).toBe(201);
    // The content, and its text for search.
    expect(Math.round((await usedBytes(ada)) / KiB)).toBe(400);
    const file = await attach(ada, "a.bin", Buffer.alloc(500 * KiB, "x"));
    expect(Math.round((await usedBytes(ada)) / KiB)).toBe(900);

    expectProblem(await add(ada, thread, 100), "quota-full");
    const start = { message: { parent_id: null, content: userMessage("x".repeat(130 * KiB)) } };
    await ada.fails("quota-full", "runs.start", { params: { thread_id: newId("thread") }, body: start });
    const report = { ...thread, status: "completed" as const, output_text: "x".repeat(40 * KiB) };
    for (let i = 0; i < 3; i++) await ada.call("runs.report", { body: report });
    await ada.fails("quota-full", "runs.report", { body: report });
    await ada.fails("quota-full", "threads.create", {
      body: { last_message_at: new Date().toISOString(), metadata: { x: "x".repeat(15 * KiB) } },
    });
    const exported = JSON.stringify(await exportThread(ada, thread.thread_id));
    const cleo = server().inNewWorkspace("cleo_with_quota");
    await add(cleo, await createThread(cleo), 400);
    expect((await importFile(cleo, exported)).threads).toMatchObject([{ error: { code: "quota-full" } }]);

    await ada.call("files.remove", { params: { file_id: file.file_id } });
    const answered = await sendAndWait(ada, "tokens=200");
    expect(answered.reply.end?.state).toBe("completed");
    const before = await usedBytes(ada);
    await ada.call("messages.remove", {
      params: { thread_id: answered.thread_id },
      body: { message_ids: [answered.reply_id] },
    });
    expect(before - (await usedBytes(ada))).toBeGreaterThan(500);
    await ada.call("threads.remove", { params: thread });
    expect(await usedBytes(ada)).toBeGreaterThan(500 * KiB);
    await ada.call("trash.empty", {});
    expect(await usedBytes(ada)).toBeLessThan(10 * KiB);
  });

  test("counts a message that replaces another only for what it adds", async () => {
    const ada = server().inNewWorkspace("ada_who_replaces");
    const thread = await createThread(ada);
    const { message_id } = (await add(ada, thread, 300)).body;
    const update = async (kibibytes: number) =>
      await ada.ask("messages.update", {
        params: { ...thread, message_id },
        body: { content: content(kibibytes) },
      });
    expect((await update(400)).status).toBe(200);
    expectProblem(await update(600), "quota-full");
    expect((await update(10)).status).toBe(200);
    expect(Math.round((await usedBytes(ada)) / KiB)).toBe(20);
  });

  test("of a thread's creator counts what colleagues write in it", async ({ ada, ben }) => {
    const thread = await createThread(ada);
    expect((await add(ben, thread, 400)).status).toBe(201);
    expect(await usedBytes(ben)).toBe(0);
    expectProblem(await add(ben, thread, 200), "quota-full");
    expect((await add(ben, await createThread(ben), 200)).status).toBe(201);
  });
});

describeServer("the storage quota of somebody who shares a thread", { model: true, settings }, (server) => {
  test("is bounded for what each member adds in messages, and files count for the member", async () => {
    const owner = await createOwner(server());
    const [ada, ben, cai] = [
      await join(owner, { email: "ada@example.com" }),
      await join(owner, { email: "ben@example.com" }),
      await join(owner, { email: "cai@example.com" }),
    ];
    const usedBytes = async (who: Visitor) => (await who.call("files.list", { query: {} })).used_bytes;
    const [first, second] = [await ask(ada, "First?"), await ask(ada, "Second?")];
    const { id: group_id } = await owner.call("groups.create", { body: { name: "Garden" } });
    for (const who of [ada, cai]) {
      const { user_id: person_id } = await who.call("auth.me");
      await owner.call("groups.addMember", { params: { group_id, person_id } });
    }
    await shareWith(ada, first.threadId, ben);
    await shareWith(ada, second.threadId, ben);
    await shareWith(ada, first.threadId, group_id);
    const write = async (who: Visitor, { threadId, replyId }: typeof first, kibibytes: number) => {
      const answer = await who.ask("runs.start", {
        params: { thread_id: threadId },
        body: {
          message: { parent_id: replyId, content: userMessage(`tokens=1 ${"x".repeat(kibibytes * KiB)}`) },
        },
      });
      if (answer.status === 201) await (await who.events(answer.body.run_id)).rest();
      return answer;
    };
    // Of 1 MiB, a tenth. A message in a part is stored once on SQLite, and its text besides on PostgreSQL.
    const size = 25;
    const answers = [];
    for (const thread of [first, second, first, second, first]) answers.push(await write(ben, thread, size));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectProblem(answer, "member-quota-full");
    expect(answers[0]!.status).toBe(201);
    // The owner of the thread and other members, also of a group, still write.
    expect((await write(ada, first, 100)).status).toBe(201);
    expect((await write(cai, first, 10)).status).toBe(201);
    // In a thread of their own, the member has their own quota.
    const own = await ask(ben, "Mine?");
    expect((await write(ben, own, 100)).status).toBe(201);

    const before = [await usedBytes(ada), await usedBytes(ben)];
    const body = { filename: "a.bin", thread_id: first.threadId };
    const { signedUrl } = await ben.call("files.upload", { body });
    expect((await fetch(signedUrl, { method: "PUT", body: Buffer.alloc(KiB, "x") })).ok).toBe(true);
    const after = [await usedBytes(ada), await usedBytes(ben)];
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBeGreaterThan(before[1]!);
  });
});
