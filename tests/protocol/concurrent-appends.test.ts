import fc from "fast-check";
import { expect } from "vitest";
import { describeServer, test } from "../support/servers/server.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const clients = 50;
/** PostgreSQL has needed 14 s for one of these tests on two busy cores. */
const timeoutMs = 60_000;

/** What one client does: which existing message it answers, and whether it gives its message an external id. */
type Append = { parent: number; named: boolean };

const append: fc.Arbitrary<Append> = fc.record({ parent: fc.nat(), named: fc.boolean() });

describeServer("50 clients that append to one thread concurrently", {}, (server) => {
  /** A thread with a branch of `length` messages. */
  async function threadOf(who: Visitor, length: number): Promise<{ threadId: string; ids: string[] }> {
    const body = { last_message_at: new Date(0).toISOString() };
    const { thread_id: threadId } = await who.call("threads.create", { body });
    const ids: string[] = [];
    for (let n = 0; n < length; n++)
      ids.push(await add(who, threadId, ids.at(-1) ?? null, `first ${n}`, undefined));
    return { threadId, ids };
  }

  async function add(
    who: Visitor,
    threadId: string,
    parentId: string | null,
    text: string,
    externalId: string | undefined,
  ): Promise<string> {
    const content = { role: "user", content: [{ type: "text", text }] };
    const answer = await who.call("messages.add", {
      params: { thread_id: threadId },
      body: {
        parent_id: parentId,
        format: "aui/v0",
        content,
        ...(externalId === undefined ? {} : { external_id: externalId }),
      },
    });
    return answer.message_id;
  }

  test("lose nothing, and every message is one level below its parent", { timeout: timeoutMs }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(append, { minLength: clients, maxLength: clients }),
        fc.integer({ min: 0, max: 4 }),
        async (appends, depth) => {
          const { ada, ben } = server().colleagues();
          const { threadId, ids } = await threadOf(ada, depth);
          const created = await Promise.all(
            appends.map(async ({ parent, named }, n) => {
              const parentId = ids.length === 0 ? null : ids[parent % ids.length]!;
              const who = n % 2 === 0 ? ada : ben;
              const externalId = named ? `client ${n}` : undefined;
              const id = await add(who, threadId, parentId, `client ${n}`, externalId);
              // A repeated message with an external id is the same message.
              if (named) expect(await add(who, threadId, parentId, `client ${n}`, externalId)).toBe(id);
              return { id, parentId, n };
            }),
          );
          const { messages } = await ada.call("messages.list", { params: { thread_id: threadId } });
          const byId = new Map(messages.map((message) => [message.id, message]));
          expect(byId.size).toBe(depth + clients);
          for (const { id, parentId, n } of created) {
            const message = byId.get(id)!;
            const parent = parentId === null ? undefined : byId.get(parentId)!;
            expect(message).toMatchObject({
              parent_id: parentId,
              height: parent === undefined ? 0 : parent.height + 1,
              content: { content: [{ text: `client ${n}` }] },
            });
          }
        },
      ),
      { numRuns: 3 },
    );
  });

  test(
    "that append one below the other create one branch without a gap",
    { timeout: timeoutMs },
    async ({ ada }) => {
      const { threadId } = await threadOf(ada, 0);
      const names = Array.from({ length: clients }, (_, n) => `link ${n}`);
      const link = async (n: number): Promise<void> => {
        const params = { thread_id: threadId };
        const body = {
          parent_id: null,
          ...(n === 0 ? {} : { parent_external_id: names[n - 1]! }),
          external_id: names[n]!,
          format: "aui/v0",
          content: { role: "user", content: [] },
        };
        for (;;) {
          const { status } = await ada.ask("messages.add", { params, body });
          if (status === 201) return;
          // Its parent is not stored yet.
          expect(status).toBe(400);
        }
      };
      await Promise.all(names.map(async (_, n) => await link(n)));
      const { messages } = await ada.call("messages.list", { params: { thread_id: threadId } });
      expect(messages.map(({ external_id, height }) => [external_id, height])).toEqual(
        names.map((name, n) => [name, n]).toReversed(),
      );
    },
  );
});
