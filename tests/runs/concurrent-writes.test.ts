import { describe, expect } from "vitest";
import type { Message } from "#contract/endpoints/messages.ts";
import { userMessage } from "#fixtures/people.ts";
import { engines } from "../support/postgres/postgres.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { startRun, sendAndWait, readWholeLog } from "../support/clients/conversation.ts";
import { adaOn, placeForTest, serverForTest } from "../support/test-scope.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** Every message of a thread, from all pages. */
async function allMessages(who: Visitor, thread_id: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const { messages } = await who.call("messages.list", {
      params: { thread_id },
      query: { limit: 200, ...(after === undefined ? {} : { after }) },
    });
    all.push(...messages);
    if (messages.length < 200) return all;
  }
}

function expectTree(messages: Message[]): void {
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const { parent_id, height } of messages) {
    expect(height).toBe(parent_id === null ? 0 : byId.get(parent_id)!.height + 1);
  }
}

describeServer("two people in one thread", { model: true }, () => {
  test("lose no change when both write at the same time", async ({ ada, ben }) => {
    const first = await sendAndWait(ada, "tokens=1");
    const { thread_id } = first;
    const params = { thread_id };
    const feed = await ben.live({ after: 0 });
    const messageIds: string[] = [first.message_id, first.reply_id];
    const add = async (who: Visitor, n: number): Promise<void> => {
      const parent_id = n % 3 === 0 ? null : n % 3 === 1 ? first.reply_id : first.message_id;
      const body = { parent_id, format: "aui/v0", content: userMessage(`${who.name} ${n}`) };
      messageIds.push((await who.call("messages.add", { params, body })).message_id);
    };
    const talk = async (who: Visitor): Promise<void> => {
      const started = await startRun(who, `tokens=2 of ${who.name}`, { thread_id, parent_id: null });
      await readWholeLog(who, started.run_id);
      messageIds.push(started.message_id, started.reply_id);
    };
    const rename = async (who: Visitor, n: number) =>
      await who.call("threads.update", { params, body: { title: `${who.name} ${n}` } });
    const setHead = async (who: Visitor) =>
      await who.call("messages.setHead", { params, body: { message_id: first.message_id } });
    await Promise.all(
      [ada, ben].flatMap((who) =>
        Array.from({ length: 8 }, (_, n) => [
          add(who, n),
          rename(who, n),
          setHead(who),
          ...(n % 4 === 0 ? [talk(who)] : []),
        ]).flat(),
      ),
    );
    const messages = await allMessages(ada, thread_id);
    expect(messages.map(({ id }) => id).toSorted()).toEqual(messageIds.toSorted());
    expectTree(messages);

    await ada.call("threads.update", { params, body: { title: "The end" } });
    const seen = await feed.until(
      ({ data }) =>
        data.type === "change" && data.change.type === "thread-put" && data.change.thread.title === "The end",
    );
    feed.close();
    expect(seen.slice(1).map(({ id }) => id)).toEqual(seen.slice(1).map((_, index) => index + 1));
    const put = seen.flatMap(({ data }) =>
      data.type === "change" && data.change.type === "message-put" ? [data.change.message_id] : [],
    );
    expect(new Set(put)).toEqual(new Set(messageIds));
    const last = seen.at(-1)!.data as { change: { thread: unknown } };
    expect(last.change.thread).toEqual((await ada.call("threads.get", { params })).thread);
  });
});

describe.runIf(engines.includes("postgres"))("two servers of one workspace", () => {
  test("send all followers the same events without a gap while both are written to", async () => {
    const place = await placeForTest("postgres");
    const servers = [
      await serverForTest({ engine: "postgres", place }),
      await serverForTest({ engine: "postgres", place }),
    ];
    const on = (n: number): Visitor => adaOn(servers[n % 2]!);
    const feeds = [await on(0).live({ after: 0 }), await on(1).live({ after: 0 })];
    const count = 40;
    const title = (n: number): string => `Thread ${n}`;
    const created = Array.from({ length: count }, async (_, n) => {
      const body = { last_message_at: new Date().toISOString(), title: title(n) };
      return (await on(n).call("threads.create", { body })).thread_id;
    });
    const ids = await Promise.all(created);
    const received = await Promise.all(feeds.map(async (feed) => await feed.until(({ id }) => id === count)));
    for (const feed of feeds) feed.close();
    expect(received[0]!.slice(1)).toEqual(received[1]!.slice(1));
    expect(received[0]!.slice(1).map(({ id }) => id)).toEqual(ids.map((_, index) => index + 1));
    for (const { log } of servers) expect(log.takeErrors()).toEqual([]);
  });
});
