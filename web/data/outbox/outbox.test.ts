import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryStorage } from "#web/testing/memory-storage.ts";
import type { Call } from "../call.ts";
import { CallError, networkError } from "../call-error.ts";
import { createOutbox } from "./outbox.ts";
import { regenerationEntry, messageEntry, type OutboxEntry } from "./outbox-entry.ts";
import { createPersonalStorage } from "../drafts/personal-storage.ts";
import { createSafeStorage, type SafeStorage } from "../drafts/safe-storage.ts";
import { createUnsentStorage } from "../drafts/temporary-storage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (code: string, retry: boolean) =>
  new CallError({ code, serverMessage: `${code}.`, retry }, { status: retry ? 503 : 413 });
const entry = (text: string) =>
  messageEntry({
    threadId: "thread_a",
    newThread: true,
    parentId: null,
    content: { role: "user", content: [{ type: "text", text }] },
    choice: { assistantId: "asst_a", model: "m" },
  });

/**
 * A server that fails with the given errors or waits for the given promises, and then stores what it gets. `requests`
 * are the bodies and stops that it received; `read` stands for reading the rows.
 */
function start(
  failures: (Error | Promise<void>)[] = [],
  storage: SafeStorage = memoryStorage(),
  read: () => Promise<void> = async () => {},
  beforeSend?: () => Promise<void> | undefined,
) {
  const requests: unknown[] = [];
  const stored: OutboxEntry[] = [];
  const call = (async (
    name: string,
    input: { body?: { id?: string; message?: { id: string }; reply_id?: string }; params?: unknown },
  ) => {
    requests.push(name === "runs.stop" ? input.params : input.body);
    const failure = failures.shift();
    if (failure instanceof Error) throw failure;
    await failure;
    return { run_id: input.body?.id, message_id: input.body?.message?.id, reply_id: input.body?.reply_id };
  }) as unknown as Call;
  const outbox = createOutbox({
    call,
    storage,
    async stored(out) {
      stored.push(out);
      await read();
    },
    random: () => 1,
    ...(beforeSend && { beforeSend }),
  });
  return { outbox, requests, stored, storage, failures, only: () => outbox.all.get()[0] };
}

const settle = async (ms = 0) => await vi.advanceTimersByTimeAsync(ms);

const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

test("shows an entry at once under its final ids, and removes it when the rows have it", async () => {
  const { outbox, requests, stored, only } = start();
  const out = entry("hello");
  outbox.add(out);
  expect(only()).toMatchObject(out);
  await settle();
  expect(requests).toEqual([
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

test("sends to the default assistant if the chosen assistant or model was removed", async () => {
  const { outbox, requests, stored } = start([refusal("assistant-not-found", false)]);
  const out = entry("Hello");
  outbox.add(out);
  await settle();
  expect(requests[0]).toMatchObject({ assistant_id: "asst_a", model: "m" });
  expect(requests[1]).toEqual({
    id: out.runId,
    reply_id: out.replyId,
    time_zone: here,
    message: { id: out.message?.id, parent_id: null, content: out.message?.content },
  });
  expect(stored).toHaveLength(1);
});

test("sends a regeneration without a message", async () => {
  const { outbox, requests } = start();
  const out = regenerationEntry({ threadId: "thread_a", parentId: "msg_q", choice: {} });
  outbox.add(out);
  await settle();
  expect(requests).toEqual([{ id: out.runId, reply_id: out.replyId, time_zone: here, parent_id: "msg_q" }]);
});

test("retries with the same body, so that the message is stored once", async () => {
  const { outbox, requests } = start([networkError("down"), networkError("down")]);
  outbox.add(entry("hello"));
  await settle(5_000);
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(outbox.all.get()).toEqual([]);
});

test("keeps an entry that could not be sent in its place, with the reason", async () => {
  const { outbox, only } = start([
    networkError("1"),
    networkError("2"),
    networkError("3"),
    networkError("4"),
  ]);
  outbox.add(entry("hello"));
  await settle(5_000);
  expect(only()).toMatchObject({ state: "failed", failure: { code: "network", retry: true } });
});

test("sends it when the connection is back", async () => {
  const { outbox, stored } = start([networkError("1"), networkError("2"), networkError("3")]);
  outbox.add(entry("hello"));
  await settle(5_000);
  outbox.onReconnect();
  await settle();
  expect(stored).toHaveLength(1);
  expect(outbox.all.get()).toEqual([]);
});

test("sends a refused entry again only when the user retries it", async () => {
  const storage = memoryStorage();
  const before = start([refusal("too-large", false)], storage);
  before.outbox.add(entry("hello"));
  await settle();
  // Also not after a reload.
  const { outbox, requests, only } = start([refusal("too-large", false)], storage);
  await settle(5_000);
  expect(requests).toEqual([]);
  expect(only()).toMatchObject({ state: "failed", failure: { code: "too-large" } });
  const out = only()!;
  outbox.retry(out.runId);
  await settle(5_000);
  outbox.onReconnect();
  await settle(120_000);
  expect(requests).toHaveLength(1);
  expect(only()).toMatchObject({ state: "failed", failure: { code: "too-large" } });
  outbox.retry(out.runId);
  expect(only()).toMatchObject({ state: "sending" });
  expect(only()?.failure).toBeUndefined();
  await settle();
  expect(outbox.all.get()).toEqual([]);
});

test("sends once for several clicks", async () => {
  const { outbox, requests, failures } = start([refusal("too-large", false)]);
  const out = entry("hello");
  outbox.add(out);
  await settle();
  failures.push(networkError("slow"));
  outbox.retry(out.runId);
  outbox.retry(out.runId);
  await settle(5_000);
  expect(requests).toHaveLength(3);
});

test("sends the entries again with the same ids after a reload", async () => {
  const storage = memoryStorage();
  const before = start([networkError("1"), networkError("2"), networkError("3")], storage);
  const out = entry("do not lose me");
  before.outbox.add(out);
  await settle(2_000);
  const after = start([], storage);
  expect(after.only()).toMatchObject({ runId: out.runId, message: out.message, state: "sending" });
  await settle();
  expect(after.requests[0]).toMatchObject({ id: out.runId, message: { id: out.message?.id } });
  expect(storage.keys("parlance.outbox.")).toEqual([]);
});

test("deletes entries that are unreadable or older than a sign-in", () => {
  const storage = memoryStorage();
  storage.set("parlance.outbox.run_1", "{ cut off");
  storage.set(
    "parlance.outbox.run_2",
    JSON.stringify({ ...entry("old"), createdAt: "2020-01-01T00:00:00.000Z" }),
  );
  expect(start([], storage).outbox.all.get()).toEqual([]);
  expect(storage.keys("parlance.outbox.")).toEqual([]);
});

test("stops a run that is being sent as soon as the server has it", async () => {
  const { outbox, requests } = start();
  const out = entry("hello");
  outbox.add(out);
  await outbox.stop(out.runId);
  expect(requests.at(-1)).toEqual({ run_id: out.runId });
});

test("ends a stop that waits for a run that is then not sent", async () => {
  const { outbox } = start([new Promise(() => {})]);
  const out = entry("hello");
  outbox.add(out);
  const stopped = outbox.stop(out.runId);
  outbox.remove(out.runId);
  await expect(stopped).resolves.toBeUndefined();
});

test("answers a message that is sent again after its stop and its failure", async () => {
  const { outbox, requests } = start([refusal("file-too-large", false)]);
  const out = entry("hello");
  outbox.add(out);
  const stopped = outbox.stop(out.runId);
  await settle();
  expect(outbox.all.get()[0]!.state).toBe("failed");
  outbox.retry(out.runId);
  await stopped;
  await settle();
  expect(requests).toHaveLength(2);
  expect(requests).not.toContainEqual({ run_id: out.runId });
});

test("keeps and shows a message whose request waits for what the server must have before", async () => {
  const before = Promise.withResolvers<void>();
  const { outbox, requests, storage, only } = start([], memoryStorage(), undefined, () => before.promise);
  outbox.add(entry("hello"));
  await settle();
  expect(only()).toMatchObject({ state: "sending" });
  expect(storage.keys("parlance.outbox.")).toHaveLength(1);
  expect(requests).toEqual([]);
  before.resolve();
  await settle();
  expect(requests).toHaveLength(1);
});

test("says when a run that was being sent could not be stopped", async () => {
  const sending = Promise.withResolvers<void>();
  const { outbox } = start([sending.promise, networkError(new TypeError("fetch failed"))]);
  const out = entry("hello");
  outbox.add(out);
  const stopped = outbox.stop(out.runId);
  sending.resolve();
  await expect(stopped).rejects.toThrow(CallError);
});

const queued = (text: string, parentId: string) =>
  messageEntry({
    threadId: "thread_a",
    newThread: false,
    parentId,
    content: { role: "user", content: [{ type: "text", text }] },
    choice: { assistantId: "asst_a", model: "m" },
    queue: true,
  });

test("sends queued messages in order after the earlier message", async () => {
  const { outbox, requests } = start([refusal("maintenance", true)]);
  const first = entry("first");
  outbox.add(first);
  const second = queued("second", first.replyId);
  const third = queued("third", first.replyId);
  outbox.add(second);
  outbox.add(third);
  await settle();
  expect(requests).toMatchObject([{ id: first.runId }]);
  await settle(60_000);
  expect(requests).toMatchObject([
    { id: first.runId },
    { id: first.runId },
    { id: second.runId, message: { parent_id: first.replyId, queue: true } },
    { id: third.runId },
  ]);
});

test("does not block the queue behind a message that cannot be sent", async () => {
  const { outbox, requests } = start([refusal("too-large", false)]);
  const large = queued("large", "msg_p");
  const small = queued("small", "msg_p");
  outbox.add(large);
  outbox.add(small);
  await settle();
  expect(requests).toMatchObject([{ id: large.runId }, { id: small.runId }]);
  expect(outbox.all.get()).toMatchObject([{ runId: large.runId, state: "failed" }]);
});

test("edits a queued message that the server had stored although sending it failed", async () => {
  const { outbox, requests } = start([refusal("too-large", false), refusal("conflict", false)]);
  const out = queued("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.edit(out.runId, { role: "user", content: [{ type: "text", text: "other" }] });
  await settle();
  expect(requests.at(-1)).toEqual({ content: { role: "user", content: [{ type: "text", text: "other" }] } });
  expect(outbox.all.get()).toEqual([]);
});

const other = { role: "user", content: [{ type: "text", text: "other" }] };

test("edits a queued message that is being sent", async () => {
  const response = Promise.withResolvers<void>();
  const { outbox, requests, stored } = start([response.promise]);
  const out = queued("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.edit(out.runId, other);
  await settle();
  expect(requests).toHaveLength(1);
  response.resolve();
  await settle();
  expect(requests.slice(1)).toEqual([{ content: other }]);
  expect(stored).toHaveLength(1);
  expect(outbox.all.get()).toEqual([]);
});

test("sends the last of several edits, even while the rows are being read", async () => {
  const [response, rows] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const storage = memoryStorage();
  const { outbox, requests, stored } = start(
    [Promise.resolve(), response.promise],
    storage,
    () => rows.promise,
  );
  const out = queued("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.edit(out.runId, { role: "user", content: [] });
  rows.resolve();
  await settle();
  outbox.edit(out.runId, other);
  response.resolve();
  await settle();
  expect(requests.slice(1)).toEqual([{ content: { role: "user", content: [] } }, { content: other }]);
  expect(stored).toHaveLength(2);
  expect(outbox.all.get()).toEqual([]);
  expect(storage.keys("parlance.outbox.")).toEqual([]);
});

test("sends an edit as the next message if the first version has left the queue", async () => {
  const response = Promise.withResolvers<void>();
  const { outbox, requests } = start([response.promise, refusal("queued-not-found", false)]);
  const out = queued("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.edit(out.runId, other);
  response.resolve();
  await settle();
  expect(requests.slice(2)).toMatchObject([
    { message: { parent_id: out.replyId, queue: true, content: other } },
  ]);
  expect(requests[2]).not.toMatchObject({ id: out.runId });
  expect(outbox.all.get()).toEqual([]);
});

test("retries an edit that a network failure has interrupted", async () => {
  const response = Promise.withResolvers<void>();
  const { outbox, requests, only, failures } = start([response.promise, networkError("down")]);
  const out = queued("first", "msg_p");
  outbox.add(out);
  await settle();
  outbox.edit(out.runId, other);
  response.resolve();
  await settle();
  expect(only()).toMatchObject({
    state: "failed",
    failure: { code: "network" },
    message: { content: other },
  });
  failures.push(refusal("conflict", false));
  await settle(60_000);
  expect(requests.at(-1)).toEqual({ content: other });
  expect(outbox.all.get()).toEqual([]);
});

test("shows at once that too many runs are active, keeps showing it, and is sent later", async () => {
  const full = () =>
    new CallError({ code: "too-many-runs", retry: true }, { status: 429, retryAfterMs: 5_000 });
  const { outbox, requests, stored, only } = start([full(), full()]);
  outbox.add(entry("hello"));
  await settle();
  expect(only()).toMatchObject({ state: "failed", failure: { code: "too-many-runs" } });
  const states = new Set<string | undefined>();
  const unsubscribe = outbox.all.subscribe(() => states.add(only()?.state));
  await settle(5_000);
  expect(requests).toHaveLength(2);
  expect([...states]).toEqual(["failed"]);
  unsubscribe();
  await settle(5_000);
  expect(stored).toHaveLength(1);
  expect(outbox.all.get()).toEqual([]);
});

test("sends what too many runs kept back when a run ends, or when the message before it was sent", async () => {
  const full = () =>
    new CallError({ code: "too-many-runs", retry: true }, { status: 429, retryAfterMs: 5_000 });
  const { outbox, requests } = start([full(), full()]);
  const [first, second] = [queued("first", "msg_p"), queued("second", "msg_q")];
  outbox.add(first);
  await settle();
  // The first one stays ahead of the second one, whose retry comes too early.
  outbox.add({ ...second, state: "failed", failure: { code: "too-many-runs", retry: true } });
  await settle(5_000);
  expect(requests).toHaveLength(2);
  outbox.onRunEnded();
  await settle();
  expect(requests).toMatchObject([
    { id: first.runId },
    { id: first.runId },
    { id: first.runId },
    { id: second.runId },
  ]);
  expect(outbox.all.get()).toEqual([]);
});

test("sends again at once what failed while the connection came back", async () => {
  const response = Promise.withResolvers<void>();
  const { outbox, requests } = start([networkError("1"), networkError("2"), response.promise]);
  outbox.add(entry("hello"));
  await settle(5_000);
  expect(requests).toHaveLength(3);
  outbox.onReconnect();
  response.reject(networkError("3"));
  await settle(1_000);
  expect(requests).toHaveLength(4);
  expect(outbox.all.get()).toEqual([]);
});

test("keeps the order over a reload, even if the clock was set back", async () => {
  vi.setSystemTime(new Date("2026-03-11T12:00:00Z"));
  const away = () => Array.from({ length: 20 }, () => refusal("network", true));
  const storage = memoryStorage();
  const { outbox } = start(away(), storage);
  outbox.add(entry("first"));
  vi.setSystemTime(new Date("2026-03-10T12:00:00Z"));
  outbox.add(entry("second"));
  const again = start(away(), storage).outbox;
  const words = again.all.get().map(({ message }) => JSON.stringify(message?.content));
  expect(words).toEqual([expect.stringContaining("first"), expect.stringContaining("second")]);
});

test.each(["{", "[]", "null", "7", '{"createdAt":"2026-03-10T12:00:00Z"}', '{"runId":1,"createdAt":"x"}'])(
  "ignores a stored entry that is %s, and sends the others",
  async (broken) => {
    const storage = memoryStorage();
    const out = entry("whole");
    storage.set("parlance.outbox.run_broken", broken);
    storage.set(`parlance.outbox.${out.runId}`, JSON.stringify(out));
    const { requests } = start([], storage);
    await settle();
    expect(requests).toMatchObject([{ id: out.runId }]);
    expect(storage.get("parlance.outbox.run_broken")).toBeUndefined();
  },
);

test("restores a removed entry at its position under new ids", async () => {
  const { outbox, requests } = start([networkError("1"), networkError("2"), networkError("3")]);
  const [first, second] = [queued("first", "msg_p"), queued("second", "msg_p")];
  outbox.add(first);
  outbox.add(second);
  await settle(5_000);
  const removed = outbox.all.get()[0]!;
  outbox.remove(first.runId);
  outbox.restore(removed);
  expect(outbox.all.get().map(({ message }) => message?.content)).toEqual([
    first.message?.content,
    second.message?.content,
  ]);
  await settle(5_000);
  expect(outbox.all.get()).toEqual([]);
  const ids = requests.map((body) => (body as { id: string }).id);
  expect(ids.slice(0, 3)).toEqual([first.runId, first.runId, first.runId]);
  expect(ids.slice(3)).not.toContain(first.runId);
  expect(ids.slice(3)).toHaveLength(2);
});

/** A device that two tabs share: each is notified of the changes of the other. */
function twoTabs(): [SafeStorage, SafeStorage] {
  const tabs = [new EventTarget(), new EventTarget()] as const;
  const kept: Record<string, string> = {};
  const tab = (other: EventTarget) => {
    const notify = (key: string, newValue: string | null) =>
      other.dispatchEvent(Object.assign(new Event("storage"), { key, newValue }));
    const methods = {
      getItem: (key: string) => kept[key] ?? null,
      setItem(key: string, text: string) {
        kept[key] = text;
        notify(key, text);
      },
      removeItem(key: string) {
        delete kept[key];
        notify(key, null);
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

test("does not send an entry that was removed in another tab, not even between two attempts", async () => {
  const [here, there] = twoTabs();
  const first = start(away(9), here);
  const out = entry("not this");
  first.outbox.add(out);
  await settle();
  const second = start(away(1), there);
  await settle();
  expect(second.requests).toHaveLength(1);
  first.outbox.remove(out.runId);
  expect(second.outbox.all.get()).toEqual([]);
  await settle(60_000);
  second.outbox.onReconnect();
  await settle();
  expect(second.requests).toHaveLength(1);
  expect(start([], there).outbox.all.get()).toEqual([]);
});

test("removes a sent entry in every tab, once its rows are read there", async () => {
  const [here, there] = twoTabs();
  const first = start(away(3), here);
  const out = entry("hello");
  first.outbox.add(out);
  await settle(5_000);
  const second = start(away(3), there);
  await settle(5_000);
  expect(second.only()).toMatchObject({ state: "failed" });
  first.outbox.retry(out.runId);
  await settle();
  expect(second.stored).toMatchObject([{ runId: out.runId }]);
  expect(second.outbox.all.get()).toEqual([]);
  expect(second.requests).toHaveLength(3);
});

test("sends the edit of another tab", async () => {
  const [here, there] = twoTabs();
  const first = start(away(9), here);
  const out = queued("first", "msg_p");
  first.outbox.add(out);
  await settle(5_000);
  const second = start(away(3), there);
  await settle(5_000);
  first.outbox.edit(out.runId, other);
  second.outbox.retry(out.runId);
  await settle();
  expect(second.requests.at(-1)).toMatchObject({ id: out.runId, message: { content: other } });
});

test("sends the edit of another tab to a message that is being sent in this one", async () => {
  const [here, there] = twoTabs();
  const first = start(away(9), here);
  const out = queued("first", "msg_p");
  first.outbox.add(out);
  await settle(5_000);
  const response = Promise.withResolvers<void>();
  const second = start([response.promise], there);
  await settle();
  first.outbox.edit(out.runId, other);
  response.resolve();
  await settle();
  expect(second.requests.slice(1)).toEqual([{ content: other }]);
  expect([first.outbox.all.get(), second.outbox.all.get()]).toEqual([[], []]);
});

test("cancels sending when another user signs in, and continues when the first one is back", async () => {
  const storage = createPersonalStorage(memoryStorage());
  const visitor = { userId: "usr_v", isVisitor: true };
  storage.switchTo(visitor);
  const { outbox, requests } = start(away(1), storage);
  const out = entry("mine alone");
  outbox.add(out);
  await settle();
  storage.switchTo({ userId: "usr_o", isVisitor: false });
  outbox.reload();
  expect(outbox.all.get()).toEqual([]);
  await settle(60_000);
  outbox.onReconnect();
  expect(requests).toHaveLength(1);
  storage.switchTo(visitor);
  outbox.reload();
  await settle();
  expect(requests).toHaveLength(2);
  expect(requests[1]).toMatchObject({ id: out.runId });
});

test("keeps a message of a temporary thread only in its tab, until the thread is kept", async () => {
  const [device, tab] = [memoryStorage(), memoryStorage()];
  const failing = [networkError(new Error("offline"))];
  const { outbox } = start([...failing], createUnsentStorage(device, tab));
  const secret = { ...entry("a secret"), temporary: true };
  outbox.add(secret);
  await settle();
  expect(device.keys("parlance.")).toEqual([]);
  expect(
    start([new Promise<void>(() => {})], createUnsentStorage(device, memoryStorage())).only(),
  ).toBeUndefined();
  expect(start([new Promise<void>(() => {})], createUnsentStorage(device, tab)).only()?.runId).toBe(
    secret.runId,
  );

  outbox.update(secret.runId, { temporary: false });
  expect(tab.keys("parlance.")).toEqual([]);
  expect(start([new Promise<void>(() => {})], createUnsentStorage(device, tab)).only()?.runId).toBe(
    secret.runId,
  );
  outbox.remove(secret.runId);
  expect(start([], createUnsentStorage(device, tab)).only()).toBeUndefined();
});

test("has one timer per entry for later retries, however often a person retries", async () => {
  const { outbox, requests, failures } = start();
  failures.push(...Array.from({ length: 100 }, () => networkError("down")));
  const out = entry("hello");
  outbox.add(out);
  await settle(5_000);
  for (let i = 0; i < 4; i++) {
    outbox.retry(out.runId);
    await settle(5_000);
  }
  requests.length = 0;
  await settle(60_000);
  // Rounds of three attempts, 30 s after the end of the last one.
  expect(requests).toHaveLength(6);
});
