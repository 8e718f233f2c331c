import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { branchOf, readWholeLog, startRun } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { uploadPicture } from "../shares/sharing.ts";

describeServer("copying a branch into a new thread", { model: true }, (server) => {
  test("keeps what its messages are, up to the chosen one, and the original stays", async ({ ada }) => {
    const { thread_id: threadId } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString(), title: "A garden" },
    });
    await ada.call("threads.update", { params: { thread_id: threadId }, body: { local_only: true } });
    const contents = [
      userMessage("What grows in the shade?"),
      {
        role: "assistant",
        content: [{ type: "data-of-an-app", value: "\u0000\ud800" }],
        __proto__: { a: 1 },
      },
      userMessage("And in deep shade?"),
      { role: "assistant", content: [{ type: "text", text: "Ferns." }] },
    ];
    const ids: string[] = [];
    for (const content of contents) {
      const { message_id: id } = await ada.call("messages.add", {
        params: { thread_id: threadId },
        body: { parent_id: ids.at(-1) ?? null, format: "aui/v0", content },
      });
      ids.push(id);
    }
    await ada.call("messages.pin", {
      params: { thread_id: threadId, message_id: ids[0]! },
      body: { is_pinned: true },
    });
    const before = await branchOf(ada, threadId);
    const { thread_id: copyId } = await ada.call("messages.copyBranch", {
      params: { thread_id: threadId, message_id: ids[2]! },
      body: { title: "A garden, again" },
    });
    const copied = await branchOf(ada, copyId);
    const shown = (messages: typeof copied) =>
      messages.map(({ role, format, content, is_pinned, created_at }) => ({
        role,
        format,
        content,
        is_pinned,
        created_at,
      }));
    expect(shown(copied)).toEqual(shown(before.slice(0, 3)));
    expect(copied.map(({ id }) => id)).not.toEqual(expect.arrayContaining([ids[0]]));
    const { thread } = await ada.call("threads.get", { params: { thread_id: copyId } });
    expect(thread).toMatchObject({ title: "A garden, again", local_only: true });
    expect(await branchOf(ada, threadId)).toEqual(before);
  });

  test("shares the files, which stay when the original is deleted, and names who answered", async () => {
    const ada = server().inNewWorkspace();
    const picture = await uploadPicture(ada);
    const thread_id = newId("thread");
    const content = { role: "user", content: [{ type: "image", image: picture.url }] };
    const run = await ada.call("runs.start", {
      params: { thread_id },
      body: { message: { parent_id: null, content } },
    });
    await readWholeLog(ada, run.run_id);
    const before = await branchOf(ada, thread_id);
    const { thread_id: copyId } = await ada.call("messages.copyBranch", {
      params: { thread_id, message_id: run.reply_id },
      body: {},
    });
    await ada.call("threads.remove", { params: { thread_id } });
    await ada.call("trash.remove", { params: { thread_id } });
    const copied = await branchOf(ada, copyId);
    expect(copied.map(({ made_by: author }) => author?.model)).toEqual(
      before.map(({ made_by: author }) => author?.model),
    );
    expect((await ada.send("GET", `/v1/files/${picture.id}/content`)).status).toBe(200);
  });

  test("leaves out an answer that is being written, and copies nothing of others", async ({ ada }) => {
    const run = await startRun(ada, "tokens=100 gap=100");
    const params = { thread_id: run.thread_id, message_id: run.reply_id };
    const { thread_id: copyId } = await ada.call("messages.copyBranch", { params, body: {} });
    expect((await branchOf(ada, copyId)).map(({ role }) => role)).toEqual(["user"]);
    const ben = server().inNewWorkspace();
    await ben.fails("thread-not-found", "messages.copyBranch", { params, body: {} });
    await ada.fails("message-not-found", "messages.copyBranch", {
      params: { ...params, message_id: newId("message") },
      body: {},
    });
    await ada.call("runs.stop", { params: { run_id: run.run_id } });
  });
});

describeServer("copies of a branch without end", { settings: { FILES_PER_PERSON_MIB: "1" } }, (server) => {
  const written = async (who: Visitor, text: string) => {
    const { thread_id } = await who.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const { message_id } = await who.call("messages.add", {
      params: { thread_id },
      body: { parent_id: null, format: "aui/v0", content: userMessage(text) },
    });
    return { params: { thread_id, message_id } };
  };

  test("fill the storage of the person, and no more (CVE-2025-7105)", async ({ ada }) => {
    const { params } = await written(ada, "x".repeat(200 * 1024));
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await ada.ask("messages.copyBranch", { params, body: {} })).status);
    expect(statuses).toContain(201);
    await ada.fails("quota-full", "messages.copyBranch", { params, body: {} });
  });

  test("are limited per minute for guests (CVE-2024-11171, CVE-2026-54037)", async () => {
    const eve = await server().anonymous();
    const { params } = await written(eve, "Mine");
    const copy = async () =>
      await eve.send("POST", `/v1/threads/${params.thread_id}/messages/${params.message_id}/copy`, {
        headers: { "Content-Type": "application/json" },
        // What counts is the size of the request.
        body: `{}${" ".repeat(limits.formBodyBytes - 2)}`,
      });
    let last = await copy();
    expect(last.status).toBe(201);
    for (let i = 0; last.status === 201 && i < limits.guestWritesPerMinute; i++) last = await copy();
    expectProblem(last, "rate-limited");
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});
