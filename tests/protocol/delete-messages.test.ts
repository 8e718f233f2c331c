import { AssistantCloud, CloudMessagePersistence } from "assistant-cloud";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { Change } from "#contract/changes.ts";
import { newId } from "#contract/ids.ts";
import { apiKey } from "#fixtures/people.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { examine } from "../support/servers/doctor.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { seedLongThread } from "../support/data/seed.ts";
import { describeServer, test } from "../support/servers/server.ts";
import {
  branchOf,
  answerCall,
  startRun,
  sendAndGetCall,
  sendAndWait,
  waitForFirstWord,
  readWholeLog,
} from "../support/clients/conversation.ts";
import { type Visitor } from "../support/clients/visitor.ts";

/** Deleting messages without their children: the server relinks the children as the protocol's clients do. */

const content = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

type Node = { id: string; parent: string | null; height: number };

describeServer("messages whose parent is deleted", { model: true, tools: approvalTools() }, (server) => {
  async function newThread(who: Visitor): Promise<string> {
    const body = { last_message_at: new Date().toISOString() };
    return (await who.call("threads.create", { body })).thread_id;
  }

  async function add(who: Visitor, threadId: string, parent_id: string | null, text = ""): Promise<string> {
    const body = { parent_id, format: "aui/v0", content: content(text) };
    return (await who.call("messages.add", { params: { thread_id: threadId }, body })).message_id;
  }

  /** A branch of `length` messages. */
  async function chain(who: Visitor, threadId: string, length: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < length; n++) ids.push(await add(who, threadId, ids.at(-1) ?? null, `message ${n}`));
    return ids;
  }

  const remove = async (who: Visitor, threadId: string, ...message_ids: string[]) =>
    await who.ask("messages.remove", { params: { thread_id: threadId }, body: { message_ids } });

  /** The tree, from the root down. */
  async function treeOf(who: Visitor, threadId: string): Promise<Node[]> {
    const { messages } = await who.call("messages.list", { params: { thread_id: threadId } });
    return messages.map(({ id, parent_id, height }) => ({ id, parent: parent_id, height })).toReversed();
  }

  test("are kept by the newest client, which appends below them", async () => {
    const cloud = new AssistantCloud({
      baseUrl: server().url,
      apiKey,
      userId: "user_ada",
      workspaceId: "relinking",
      telemetry: false,
    });
    const { thread_id: threadId } = await cloud.threads.create({ last_message_at: new Date() });
    const persistence = new CloudMessagePersistence(cloud);
    const locals = ["local-0", "local-1", "local-2", "local-3"];
    for (const [n, local] of locals.entries())
      await persistence.append(threadId, local, locals[n - 1] ?? null, "aui/v0", content(local));
    // As assistant-ui's runtime deletes one message.
    await persistence.delete(threadId, ["local-1"]);
    await persistence.append(threadId, "local-4", "local-3", "aui/v0", content("local-4"));
    const loaded = await new CloudMessagePersistence(cloud).load(threadId, "aui/v0");
    expect(loaded.toReversed().map((message) => [message.content, message.height])).toEqual(
      ["local-0", "local-2", "local-3", "local-4"].map((local, height) => [content(local), height]),
    );
    expect(loaded.map(({ parent_id }) => parent_id)).toEqual([...loaded.slice(1).map(({ id }) => id), null]);
  });

  test("move to the parent of the deleted one in order, and become roots below a deleted root", async () => {
    const ada = server().inNewWorkspace();
    const threadId = await newThread(ada);
    const root = await add(ada, threadId, null);
    const deleted = await add(ada, threadId, root);
    const [one, two] = [await add(ada, threadId, deleted), await add(ada, threadId, deleted)];
    const below = await add(ada, threadId, one);
    const beside = await add(ada, threadId, root);
    const answer = await remove(ada, threadId, deleted);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: {} });
    expect(await treeOf(ada, threadId)).toEqual([
      { id: root, parent: null, height: 0 },
      { id: one, parent: root, height: 1 },
      { id: two, parent: root, height: 1 },
      { id: beside, parent: root, height: 1 },
      { id: below, parent: one, height: 2 },
    ]);
    const siblings = (await branchOf(ada, threadId, { head: two })).at(-1)?.siblings;
    expect(siblings).toEqual([one, two, beside]);
    await remove(ada, threadId, root);
    expect((await treeOf(ada, threadId)).map(({ id, parent }) => [id, parent])).toEqual([
      [one, null],
      [two, null],
      [beside, null],
      [below, one],
    ]);
    expectProblem(await remove(ada, threadId, deleted), "messages-not-found");
  });

  test("skip several messages that are deleted together: parent and child, the root, and some far below", async () => {
    const ada = server().inNewWorkspace();
    const threadId = await newThread(ada);
    const ids = await chain(ada, threadId, 9);
    await remove(ada, threadId, ids[6]!, ids[0]!, ids[3]!, ids[2]!, newId("message"));
    const left = [1, 4, 5, 7, 8].map((index) => ids[index]!);
    expect(await treeOf(ada, threadId)).toEqual(
      left.map((id, height) => ({ id, parent: left[height - 1] ?? null, height })),
    );
  });

  test("are announced with their new parents before the deletion, and visible branches stay visible", async () => {
    const { ada, ben } = server().colleagues();
    const threadId = await newThread(ada);
    const params = { thread_id: threadId };
    const [root, middle, leaf] = (await chain(ada, threadId, 3)) as [string, string, string];
    const other = await add(ada, threadId, middle);
    await ada.call("messages.setHead", { params, body: { message_id: leaf } });
    await ben.call("messages.setHead", { params, body: { message_id: other } });
    const tab = await ben.live();
    await tab.next();
    // Twice: a message between others, then the ends of both branches.
    await remove(ada, threadId, middle);
    const shown = async (who: Visitor) => (await branchOf(who, threadId)).map(({ id }) => id);
    expect(await shown(ada)).toEqual([root, leaf]);
    expect(await shown(ben)).toEqual([root, other]);
    await remove(ada, threadId, leaf);
    expect(await shown(ada)).toEqual([root, other]);
    await remove(ada, threadId, root, other);
    expect(await shown(ada)).toEqual([]);
    const { user_id } = await ada.call("auth.me");
    const frames = await tab.until(
      ({ data }) =>
        data.type === "change" &&
        data.change.type === "messages-gone" &&
        data.change.message_ids.includes(root),
    );
    tab.close();
    const changes = frames.flatMap(({ data }): Change[] => (data.type === "change" ? [data.change] : []));
    expect(changes).toEqual([
      { type: "message-put", thread_id: threadId, message_id: leaf, parent_id: root },
      { type: "message-put", thread_id: threadId, message_id: other, parent_id: root },
      { type: "messages-gone", thread_id: threadId, message_ids: [middle] },
      { type: "messages-gone", thread_id: threadId, message_ids: [leaf] },
      { type: "head-put", thread_id: threadId, user_id, message_id: other },
      { type: "messages-gone", thread_id: threadId, message_ids: [root, other] },
    ]);
  });

  test("are visible to a user whose stored branch end was above them and is deleted", async () => {
    const { ada, ben } = server().colleagues();
    const threadId = await newThread(ada);
    const params = { thread_id: threadId };
    const [root] = await chain(ada, threadId, 1);
    await ben.call("messages.setHead", { params, body: { message_id: root! } });
    const below = await add(ada, threadId, root!);
    // The deepest branch of the thread, which would be visible otherwise.
    const deep = await add(ada, threadId, null);
    await add(ada, threadId, await add(ada, threadId, deep));
    await remove(ada, threadId, root!);
    expect((await branchOf(ben, threadId)).map(({ id }) => id)).toEqual([below]);
  });

  describe("while an answer is running", () => {
    test("include a reply whose question is deleted, which continues", async ({ ada }) => {
      const first = await sendAndWait(ada, "The first words tokens=2");
      const talk = await startRun(ada, "A slip of the tongue\nendless gap=5", {
        thread_id: first.thread_id,
        parent_id: first.reply_id,
      });
      const { stream } = await waitForFirstWord(ada, talk.run_id);
      expect((await remove(ada, first.thread_id, talk.message_id)).status).toBe(200);
      await stream.until(({ data }) => data.type === "text-delta");
      stream.close();
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
      await readWholeLog(ada, talk.run_id);
      const ids = [first.message_id, first.reply_id, talk.reply_id];
      expect((await branchOf(ada, first.thread_id)).map(({ id, status }) => [id, status.type])).toEqual(
        ids.map((id) => [id, id === talk.reply_id ? "incomplete" : "complete"]),
      );

      // The model then reads the messages above the reply.
      const further = await ada.call("runs.continue", { params: { run_id: talk.run_id }, body: {} });
      expect(further).toMatchObject({ message_id: first.reply_id, reply_id: talk.reply_id });
      await readWholeLog(ada, further.run_id);
      const requests = (await server().requestsWith("The first words")).map(({ body }) =>
        JSON.stringify(body),
      );
      expect(requests).toHaveLength(3);
      expect(requests[1]).toContain("A slip of the tongue");
      expect(requests[2]).not.toContain("A slip of the tongue");
    });

    test("include a reply that waits for approval, which continues with the messages above it", async () => {
      const ada = server().inNewWorkspace();
      const first = await sendAndWait(ada, "The earlier words tokens=2");
      const talk = await sendAndGetCall(ada, 'By mistake tool=send_letter({"to":"Ned"})', {
        thread_id: first.thread_id,
        parent_id: first.reply_id,
      });
      await remove(ada, first.thread_id, talk.message_id);
      expect((await answerCall(ada, talk.run_id, true)).status).toBe(200);
      expect((await readWholeLog(ada, talk.run_id)).at(-1)).toMatchObject({ state: "completed" });
      const requests = (await server().requestsWith("The earlier words")).map(({ body }) =>
        JSON.stringify(body),
      );
      expect(requests.at(-1)).toContain("send_letter");
      expect(requests.at(-1)).not.toContain("By mistake");
    });

    test("do not stop other runs than that of the deleted reply", async ({ ada }) => {
      const stopped = await startRun(ada, "Deleted\nendless gap=5");
      const other = await startRun(ada, "Kept\nendless gap=5", {
        thread_id: stopped.thread_id,
        parent_id: null,
      });
      await waitForFirstWord(ada, stopped.run_id);
      await remove(ada, stopped.thread_id, stopped.reply_id);
      expect((await readWholeLog(ada, stopped.run_id)).at(-1)).toMatchObject({ state: "cancelled" });
      expect((await ada.call("runs.get", { params: { run_id: other.run_id } })).run.state).toBe("running");
      await ada.call("runs.stop", { params: { run_id: other.run_id } });
      await readWholeLog(ada, other.run_id);
    });

    test("have a parent when others concurrently add messages below the deleted one", async ({ ada }) => {
      const threadId = await newThread(ada);
      const root = await add(ada, threadId, null);
      const middle = await add(ada, threadId, root);
      const body = { parent_id: middle, format: "aui/v0", content: content("late") };
      const adding = Array.from(
        { length: 20 },
        async () => await ada.ask("messages.add", { params: { thread_id: threadId }, body }),
      );
      const removing = remove(ada, threadId, middle);
      const answers = await Promise.all(adding);
      expect((await removing).status).toBe(200);
      for (const answer of answers) if (answer.status !== 201) expectProblem(answer, "parent-not-in-thread");
      const added = answers.filter(({ status }) => status === 201).map((answer) => answer.body.message_id);
      const [top, ...rest] = await treeOf(ada, threadId);
      expect(top).toEqual({ id: root, parent: null, height: 0 });
      expect(rest.toSorted(byId)).toEqual(added.toSorted().map((id) => ({ id, parent: root, height: 1 })));
    });
  });

  test("leave a tree without faults, whatever is deleted", async () => {
    const deletion = fc.record({
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      descendants: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.nat(), { freq: 8 }), { minLength: 1, maxLength: 12 }),
        fc.array(deletion, { minLength: 1, maxLength: 3 }),
        async (parents, deletions) => {
          const ada = server().inNewWorkspace();
          const threadId = await newThread(ada);
          let tree: { id: string; parent: string | null }[] = [];
          for (const pick of parents) {
            const parent = pick === null || tree.length === 0 ? null : tree[pick % tree.length]!.id;
            tree.push({ id: await add(ada, threadId, parent), parent });
          }
          for (const { picks, descendants } of deletions) {
            if (tree.length === 0) break;
            const message_ids = picks.map((pick) => tree[pick % tree.length]!.id);
            await ada.call("messages.remove", {
              params: { thread_id: threadId },
              query: { descendants },
              body: { message_ids },
            });
            tree = without(tree, new Set(message_ids), descendants);
            const parentOf = new Map(tree.map(({ id, parent }) => [id, parent]));
            const left = await treeOf(ada, threadId);
            expect(left.toSorted(byId)).toEqual(
              tree.map((node) => ({ ...node, height: heightOf(node.id, parentOf) })).toSorted(byId),
            );
            const branch = await branchOf(ada, threadId);
            expect(branch.length).toBe(left.length === 0 ? 0 : branch.at(-1)!.height + 1);
          }
        },
      ),
      { numRuns: 15 },
    );
    expect(await examine(server().place)).toMatchObject({ code: 0, faults: [] });
  });
});

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** The expected tree, calculated by deleting one message at a time. */
function without(
  tree: { id: string; parent: string | null }[],
  deleted: ReadonlySet<string>,
  descendants: boolean,
): { id: string; parent: string | null }[] {
  let left = tree;
  for (const id of deleted) {
    const message = left.find((node) => node.id === id);
    if (message === undefined) continue;
    const children = left.filter(({ parent }) => parent === id).map((node) => node.id);
    left = left
      .filter((node) => node.id !== id)
      .map((node) => (node.parent === id ? { ...node, parent: message.parent } : node));
    if (descendants) left = without(left, new Set(children), true);
  }
  return left;
}

function heightOf(id: string, parentOf: ReadonlyMap<string, string | null>): number {
  const parent = parentOf.get(id) ?? null;
  return parent === null ? 0 : heightOf(parent, parentOf) + 1;
}

let long: Awaited<ReturnType<typeof seedLongThread>>;

describeServer(
  "a branch of thousands of messages",
  { seed: async (place) => (long = await seedLongThread(place, "org_long", 5_000)) },
  (server) => {
    test("moves up as a whole when its root is deleted", async () => {
      const ada = server().inWorkspace("org_long");
      const params = { thread_id: long.threadId };
      const [root, ...rest] = long.messageIds;
      await ada.call("messages.remove", { params, body: { message_ids: [root!, rest[2_000]!] } });
      const { messages } = await ada.call("messages.list", { params, query: { limit: 2 } });
      expect(messages.map(({ id, height }) => [id, height])).toEqual([
        [rest.at(-1), 4_997],
        [rest.at(-2), 4_996],
      ]);
      expect(await examine(server().place)).toMatchObject({ code: 0, faults: [] });
    });
  },
);
