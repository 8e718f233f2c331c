import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Call } from "../call.ts";
import { CallError, networkError } from "../call-error.ts";
import { createOutbox } from "./outbox.ts";
import { outgoingAgain, outgoingMessage, type Outgoing } from "./outgoing-message.ts";
import { createPersonalStorage } from "../drafts/personal-storage.ts";
import { createSafeStorage, type SafeStorage } from "../drafts/safe-storage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (code: string, retry: boolean) =>
  new CallError({ code, said: `${code}.`, retry }, { status: retry ? 503 : 413 });
const says = (text: string) =>
  outgoingMessage({
    threadId: "thread_a",
    newThread: true,
    parentId: null,
    content: { role: "user", content: [{ type: "text", text }] },
    choice: { assistantId: "asst_a", model: "m" },
  });

/**
 * A service that fails as it is told, or stores once what it is told to wait for is over. `asked` are the bodies and
 * stops it got; `read` is the reading of the rows.
 */
function begun(
  failures: (Error | Promise<void>)[] = [],
  storage: SafeStorage = inMemory(),
  read: () => Promise<void> = async () => {},
) {
  const asked: unknown[] = [];
  const stored: Outgoing[] = [];
  const call = (async (
    name: string,
    wanted: { body?: { id?: string; message?: { id: string }; reply_id?: string }; params?: unknown },
  ) => {
    asked.push(name === "runs.stop" ? wanted.params : wanted.body);
    const failure = failures.shift();
    if (failure instanceof Error) throw failure;
    await failure;
    return { run_id: wanted.body?.id, message_id: wanted.body?.message?.id, reply_id: wanted.body?.reply_id };
  }) as unknown as Call;
  const outbox = createOutbox({
    call,
    storage,
    async stored(out) {
      stored.push(out);
      await read();
    },
    random: () => 1,
  });
  return { outbox, asked, stored, storage, failures, only: () => outbox.all.get()[0] };
}

function inMemory(): SafeStorage {
  return createSafeStorage(() => {
    throw new Error("none");
  });
}

const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);

const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

test("shows at once what is sent, under its final ids, and lets it go when the rows have it", async () => {
  const { outbox, asked, stored, only } = begun();
  const out = says("hello");
  outbox.add(out);
  expect(only()).toMatchObject(out);
  await settle();
  expect(asked).toEqual([
    {
      id: out.runId,
      reply_id: out.replyId,
      time_zone: here,
      assistant_id: "asst_a",
      model: "m",
      message: { id: out.message?.id, parent_id: null, content: out.message?.content },
    },
  ]);
  expect(stored[0]).toMatchObject({ runId: out.runId, state: "stored" });
  expect(outbox.all.get()).toEqual([]);
});

test("sends to whoever there is where the assistant or the model went meanwhile", async () => {
  const { outbox, asked, stored } = begun([refusal("assistant-not-found", false)]);
  const out = says("Hello");
  outbox.add(out);
  await settle();
  expect(asked[0]).toMatchObject({ assistant_id: "asst_a", model: "m" });
  expect(asked[1]).toEqual({
    id: out.runId,
    reply_id: out.replyId,
    time_zone: here,
    message: { id: out.message?.id, parent_id: null, content: out.message?.content },
  });
  expect(stored).toHaveLength(1);
});

test("asks for an answer again without a message", async () => {
  const { outbox, asked } = begun();
  const out = outgoingAgain({ threadId: "thread_a", parentId: "msg_q", choice: {} });
  outbox.add(out);
  await settle();
  expect(asked).toEqual([{ id: out.runId, reply_id: out.replyId, time_zone: here, parent_id: "msg_q" }]);
});

test("tries again with the same body, so that it is stored once", async () => {
  const { outbox, asked } = begun([networkError("down"), networkError("down")]);
  outbox.add(says("hello"));
  await settle(5_000);
  expect(asked).toHaveLength(3);
  expect(new Set(asked.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(outbox.all.get()).toEqual([]);
});

test("keeps what could not be sent in its place, and says why", async () => {
  const { outbox, only } = begun([
    networkError("1"),
    networkError("2"),
    networkError("3"),
    networkError("4"),
  ]);
  outbox.add(says("hello"));
  await settle(5_000);
  expect(only()).toMatchObject({ state: "failed", failure: { code: "network", retry: true } });
});

test("sends it by itself when the line is back", async () => {
  const { outbox, stored } = begun([networkError("1"), networkError("2"), networkError("3")]);
  outbox.add(says("hello"));
  await settle(5_000);
  outbox.lineIsBack();
  await settle();
  expect(stored).toHaveLength(1);
  expect(outbox.all.get()).toEqual([]);
});

test("does not try again by itself what the service refused, but does when asked", async () => {
  const { outbox, asked, only } = begun([refusal("too-large", false)]);
  const out = says("hello");
  outbox.add(out);
  await settle(5_000);
  outbox.lineIsBack();
  await settle(120_000);
  expect(asked).toHaveLength(1);
  expect(only()).toMatchObject({ state: "failed", failure: { code: "too-large" } });
  outbox.sendAgain(out.runId);
  expect(only()).toMatchObject({ state: "sending" });
  expect(only()?.failure).toBeUndefined();
  await settle();
  expect(outbox.all.get()).toEqual([]);
});

test("sends once, however often one clicks", async () => {
  const { outbox, asked, failures } = begun([refusal("too-large", false)]);
  const out = says("hello");
  outbox.add(out);
  await settle();
  failures.push(networkError("slow"));
  outbox.sendAgain(out.runId);
  outbox.sendAgain(out.runId);
  await settle(5_000);
  expect(asked).toHaveLength(3);
});

test("outlives a reload: what was on its way is shown and sent with the same ids", async () => {
  const storage = inMemory();
  const before = begun([networkError("1"), networkError("2"), networkError("3")], storage);
  const out = says("do not lose me");
  before.outbox.add(out);
  await settle(2_000);
  const after = begun([], storage);
  expect(after.only()).toMatchObject({ runId: out.runId, message: out.message, state: "sending" });
  await settle();
  expect(after.asked[0]).toMatchObject({ id: out.runId, message: { id: out.message?.id } });
  expect(storage.keys("parlance.outbox.")).toEqual([]);
});

test("forgets what it cannot read, and what is older than a sign-in", () => {
  const storage = inMemory();
  storage.set("parlance.outbox.run_1", "{ cut off");
  storage.set(
    "parlance.outbox.run_2",
    JSON.stringify({ ...says("old"), createdAt: "2020-01-01T00:00:00.000Z" }),
  );
  expect(begun([], storage).outbox.all.get()).toEqual([]);
  expect(storage.keys("parlance.outbox.")).toEqual([]);
});

test("stops a run that was only just being sent, once the service knows it", async () => {
  const { outbox, asked } = begun();
  const out = says("hello");
  outbox.add(out);
  await outbox.stop(out.runId);
  await settle();
  expect(asked.at(-1)).toEqual({ run_id: out.runId });
});

const waits = (text: string, parentId: string) =>
  outgoingMessage({
    threadId: "thread_a",
    newThread: false,
    parentId,
    content: { role: "user", content: [{ type: "text", text }] },
    choice: { assistantId: "asst_a", model: "m" },
    queue: true,
  });

test("sends what waits for its turn after what was said before it, in order", async () => {
  const { outbox, asked } = begun([refusal("maintenance", true)]);
  const first = says("first");
  outbox.add(first);
  const second = waits("second", first.replyId);
  const third = waits("third", first.replyId);
  outbox.add(second);
  outbox.add(third);
  await settle();
  expect(asked).toMatchObject([{ id: first.runId }]);
  await settle(60_000);
  expect(asked).toMatchObject([
    { id: first.runId },
    { id: first.runId },
    { id: second.runId, message: { parent_id: first.replyId, queue: true } },
    { id: third.runId },
  ]);
});

test("lets no message that can never go hold up the others", async () => {
  const { outbox, asked } = begun([refusal("too-large", false)]);
  const large = waits("large", "msg_p");
  const small = waits("small", "msg_p");
  outbox.add(large);
  outbox.add(small);
  await settle();
  expect(asked).toMatchObject([{ id: large.runId }, { id: small.runId }]);
  expect(outbox.all.get()).toMatchObject([{ runId: large.runId, state: "failed" }]);
});

test("gives other words to what had arrived with its first ones", async () => {
  const { outbox, asked } = begun([refusal("too-large", false), refusal("conflict", false)]);
  const out = waits("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.reword(out.runId, { role: "user", content: [{ type: "text", text: "other" }] });
  await settle();
  expect(asked.at(-1)).toEqual({ content: { role: "user", content: [{ type: "text", text: "other" }] } });
  expect(outbox.all.get()).toEqual([]);
});

const other = { role: "user", content: [{ type: "text", text: "other" }] };

test("gives other words to what is under way with its first ones", async () => {
  const line = Promise.withResolvers<void>();
  const { outbox, asked, stored } = begun([line.promise]);
  const out = waits("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.reword(out.runId, other);
  await settle();
  expect(asked).toHaveLength(1);
  line.resolve();
  await settle();
  expect(asked.slice(1)).toEqual([{ content: other }]);
  expect(stored).toHaveLength(1);
  expect(outbox.all.get()).toEqual([]);
});

test("gives the last of many words, also to what has arrived while its rows are being read", async () => {
  const [line, rows] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const storage = inMemory();
  const { outbox, asked, stored } = begun([Promise.resolve(), line.promise], storage, () => rows.promise);
  const out = waits("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.reword(out.runId, { role: "user", content: [] });
  rows.resolve();
  await settle();
  outbox.reword(out.runId, other);
  line.resolve();
  await settle();
  expect(asked.slice(1)).toEqual([{ content: { role: "user", content: [] } }, { content: other }]);
  expect(stored).toHaveLength(2);
  expect(outbox.all.get()).toEqual([]);
  expect(storage.keys("parlance.outbox.")).toEqual([]);
});

test("says other words below its answer where the first ones were said meanwhile", async () => {
  const line = Promise.withResolvers<void>();
  const { outbox, asked } = begun([line.promise, refusal("queued-not-found", false)]);
  const out = waits("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.reword(out.runId, other);
  line.resolve();
  await settle();
  expect(asked.slice(2)).toMatchObject([
    { message: { parent_id: out.replyId, queue: true, content: other } },
  ]);
  expect(asked[2]).not.toMatchObject({ id: out.runId });
  expect(outbox.all.get()).toEqual([]);
});

test("goes on by itself with other words that a broken line has kept from what waits", async () => {
  const line = Promise.withResolvers<void>();
  const { outbox, asked, only, failures } = begun([line.promise, networkError("down")]);
  const out = waits("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.reword(out.runId, other);
  line.resolve();
  await settle();
  expect(only()).toMatchObject({
    state: "failed",
    failure: { code: "network" },
    message: { content: other },
  });
  failures.push(refusal("conflict", false));
  await settle(60_000);
  expect(asked.at(-1)).toEqual({ content: other });
  expect(outbox.all.get()).toEqual([]);
});

test("says at once that there is no room for it, goes on saying so, and goes when there is", async () => {
  const full = () =>
    new CallError({ code: "too-many-runs", retry: true }, { status: 429, retryAfterMs: 5_000 });
  const { outbox, asked, stored, only } = begun([full(), full()]);
  outbox.add(says("hello"));
  await settle();
  expect(only()).toMatchObject({ state: "failed", failure: { code: "too-many-runs" } });
  const states = new Set<string | undefined>();
  const unsubscribe = outbox.all.subscribe(() => states.add(only()?.state));
  await settle(5_000);
  expect(asked).toHaveLength(2);
  expect([...states]).toEqual(["failed"]);
  unsubscribe();
  await settle(5_000);
  expect(stored).toHaveLength(1);
  expect(outbox.all.get()).toEqual([]);
});

test("keeps over a reload the order in which things were said, also when the clock was set back between them", async () => {
  vi.setSystemTime(new Date("2026-03-11T12:00:00Z"));
  const away = () => Array.from({ length: 20 }, () => refusal("network", true));
  const storage = inMemory();
  const { outbox } = begun(away(), storage);
  outbox.add(says("first"));
  vi.setSystemTime(new Date("2026-03-10T12:00:00Z"));
  outbox.add(says("second"));
  const again = begun(away(), storage).outbox;
  const words = again.all.get().map(({ message }) => JSON.stringify(message?.content));
  expect(words).toEqual([expect.stringContaining("first"), expect.stringContaining("second")]);
});

test.each(["{", "[]", "null", "7", '{"createdAt":"2026-03-10T12:00:00Z"}', '{"runId":1,"createdAt":"x"}'])(
  "sends nothing of an entry that is %s, and the others all the same",
  async (broken) => {
    const storage = inMemory();
    const out = says("whole");
    storage.set("parlance.outbox.run_broken", broken);
    storage.set(`parlance.outbox.${out.runId}`, JSON.stringify(out));
    const { asked } = begun([], storage);
    await settle();
    expect(asked).toMatchObject([{ id: out.runId }]);
    expect(storage.get("parlance.outbox.run_broken")).toBeUndefined();
  },
);

test("puts back in its place what was taken out, under ids that nobody took out", async () => {
  const { outbox, asked } = begun([networkError("1"), networkError("2"), networkError("3")]);
  const [first, second] = [waits("first", "msg_p"), waits("second", "msg_p")];
  outbox.add(first);
  outbox.add(second);
  await settle(5_000);
  const dropped = outbox.all.get()[0]!;
  outbox.drop(first.runId);
  outbox.putBack(dropped);
  expect(outbox.all.get().map(({ message }) => message?.content)).toEqual([
    first.message?.content,
    second.message?.content,
  ]);
  await settle(5_000);
  expect(outbox.all.get()).toEqual([]);
  const ids = asked.map((body) => (body as { id: string }).id);
  expect(ids.slice(0, 3)).toEqual([first.runId, first.runId, first.runId]);
  expect(ids.slice(3)).not.toContain(first.runId);
  expect(ids.slice(3)).toHaveLength(2);
});

/** A device that two tabs share: each hears what the other one changes. */
function twoTabs(): [SafeStorage, SafeStorage] {
  const tabs = [new EventTarget(), new EventTarget()] as const;
  const kept: Record<string, string> = {};
  const tab = (other: EventTarget) => {
    const tell = (key: string, newValue: string | null) =>
      other.dispatchEvent(Object.assign(new Event("storage"), { key, newValue }));
    const methods = {
      getItem: (key: string) => kept[key] ?? null,
      setItem(key: string, text: string) {
        kept[key] = text;
        tell(key, text);
      },
      removeItem(key: string) {
        delete kept[key];
        tell(key, null);
      },
    };
    return new Proxy(kept, {
      get: (_, name) => methods[name as keyof typeof methods],
    }) as unknown as Storage;
  };
  const [here, there] = tabs;
  return [createSafeStorage(() => tab(there), here), createSafeStorage(() => tab(here), there)];
}

const away = (count: number) => Array.from({ length: count }, () => networkError("down"));

test("sends nothing from another tab that was taken out in one, not even what is between two tries", async () => {
  const [here, there] = twoTabs();
  const first = begun(away(9), here);
  const out = says("not this");
  first.outbox.add(out);
  await settle();
  const second = begun(away(1), there);
  await settle();
  expect(second.asked).toHaveLength(1);
  first.outbox.drop(out.runId);
  expect(second.outbox.all.get()).toEqual([]);
  await settle(60_000);
  second.outbox.lineIsBack();
  await settle();
  expect(second.asked).toHaveLength(1);
  expect(begun([], there).outbox.all.get()).toEqual([]);
});

test("lets go in every tab of what one of them has sent, once its rows are read there", async () => {
  const [here, there] = twoTabs();
  const first = begun(away(3), here);
  const out = says("hello");
  first.outbox.add(out);
  await settle(5_000);
  const second = begun(away(3), there);
  await settle(5_000);
  expect(second.only()).toMatchObject({ state: "failed" });
  first.outbox.sendAgain(out.runId);
  await settle();
  expect(second.stored).toMatchObject([{ runId: out.runId }]);
  expect(second.outbox.all.get()).toEqual([]);
  expect(second.asked).toHaveLength(3);
});

test("sends the words that another tab gave it", async () => {
  const [here, there] = twoTabs();
  const first = begun(away(9), here);
  const out = waits("first", "msg_p");
  first.outbox.add(out);
  await settle(5_000);
  const second = begun(away(3), there);
  await settle(5_000);
  first.outbox.reword(out.runId, other);
  second.outbox.sendAgain(out.runId);
  await settle();
  expect(second.asked.at(-1)).toMatchObject({ id: out.runId, message: { content: other } });
});

test("gives the words of another tab to what is under way in this one", async () => {
  const [here, there] = twoTabs();
  const first = begun(away(9), here);
  const out = waits("first", "msg_p");
  first.outbox.add(out);
  await settle(5_000);
  const line = Promise.withResolvers<void>();
  const second = begun([line.promise], there);
  await settle();
  first.outbox.reword(out.runId, other);
  line.resolve();
  await settle();
  expect(second.asked.slice(1)).toEqual([{ content: other }]);
  expect([first.outbox.all.get(), second.outbox.all.get()]).toEqual([[], []]);
});

test("breaks off what is under way when somebody else is here, and goes on when they are back", async () => {
  const storage = createPersonalStorage(inMemory());
  const visitor = { userId: "usr_v", isVisitor: true };
  storage.become(visitor);
  const { outbox, asked } = begun(away(1), storage);
  const out = says("mine alone");
  outbox.add(out);
  await settle();
  storage.become({ userId: "usr_o", isVisitor: false });
  outbox.reread();
  expect(outbox.all.get()).toEqual([]);
  await settle(60_000);
  outbox.lineIsBack();
  expect(asked).toHaveLength(1);
  storage.become(visitor);
  outbox.reread();
  await settle();
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatchObject({ id: out.runId });
});
