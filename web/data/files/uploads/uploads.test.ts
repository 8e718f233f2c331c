import { afterEach, expect, test, vi } from "vitest";
import type { Call } from "#web/data/call.ts";
import { CallError } from "#web/data/call-error.ts";
import { temporaryDraft } from "#web/data/drafts/temporary-storage.ts";
import { compareUploads, type StoredUpload, type UploadStore } from "./upload-store.ts";
import type { SendOptions } from "../send-file.ts";
import { createUploads, type Uploads } from "./uploads.ts";

afterEach(() => void vi.useRealTimers());

/** A device in memory instead of IndexedDB. */
function device(): UploadStore & { all: Map<string, StoredUpload> } {
  const all = new Map<string, StoredUpload>();
  return {
    all,
    read: async () => [...all.values()].toSorted(compareUploads),
    find: async (id) => all.get(id),
    write: async (upload) => void all.set(upload.id, upload),
    remove: async (id) => void all.delete(id),
  };
}

const addressOf = (at: number) =>
  `https://chat.example/v1/content/file_0${String(at).padStart(24, "0")}/secret.txt`;

/** A device with a file that was uploaded before the page was reloaded. */
function deviceWithReady(file?: Blob) {
  const store = device();
  const ready = {
    id: "a",
    topic: "new",
    name: "a",
    type: "text/plain",
    sizeBytes: 5,
    address: addressOf(99),
  };
  store.all.set("a", { ...ready, addedAtMs: 1, ...(file === undefined ? {} : { file }) });
  return store;
}

const notFound = () => new CallError({ code: "file-not-found", retry: false }, { status: 404 });

type Put = SendOptions & { file: Blob } & PromiseWithResolvers<CallError | undefined>;

/** A server whose uploads and checks of files end when the test resolves them. */
function start(store = device(), bucket = "") {
  const puts: Put[] = [];
  const created: unknown[] = [];
  const removed: unknown[] = [];
  const checks: PromiseWithResolvers<void>[] = [];
  const call = (async (name: string, { body, params }: { body: unknown; params?: { file_id: string } }) => {
    if (name === "files.remove") return removed.push(params?.file_id);
    if (name === "files.get") {
      checks.push(Promise.withResolvers<void>());
      return await checks.at(-1)!.promise;
    }
    created.push(body);
    const at = created.length;
    return { signedUrl: `${bucket}/put/${at}`, publicUrl: addressOf(at) };
  }) as unknown as Call;
  const sendFile = async (_: unknown, file: Blob, options: SendOptions) => {
    const put = { file, ...options, ...Promise.withResolvers<CallError | undefined>() };
    options.signal.addEventListener("abort", () => put.reject(options.signal.reason));
    puts.push(put);
    return await put.promise;
  };
  return {
    uploads: createUploads({ call, sendFile, store, owner: () => undefined }),
    puts,
    created,
    removed,
    checks,
    store,
  };
}

function named(name: string, type = "text/plain"): File {
  return new File(["words"], name, { type });
}

const states = (uploads: Uploads) => uploads.all.get().map(({ name, state }) => `${name} ${state}`);
const until = async (condition: () => boolean) => {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 200) throw new Error("The condition was never met.");
    await new Promise((resolve) => setImmediate(resolve));
  }
};

test("uploads three files at once, and the next one as soon as one is done", async () => {
  const { uploads, puts } = start();
  for (const name of ["a", "b", "c", "d"]) uploads.add("new", named(name));
  await until(() => puts.length === 3);
  expect(states(uploads)).toEqual(["a uploading", "b uploading", "c uploading", "d waiting"]);
  puts[1]?.resolve(undefined);
  await until(() => puts.length === 4);
  expect(states(uploads)).toEqual(["a uploading", "b ready", "c uploading", "d uploading"]);
});

test("declares name, type and size, and has the URL once the file is uploaded", async () => {
  const { uploads, puts, created } = start();
  uploads.add("new", named("notes.txt"));
  await until(() => puts.length === 1);
  expect(created).toEqual([{ filename: "notes.txt", content_type: "text/plain", content_length: 5 }]);
  puts[0]?.onProgress(3);
  expect(uploads.all.get()[0]?.sentBytes).toBe(3);
  expect(uploads.all.get()[0]?.address).toBeUndefined();
  puts[0]?.resolve(undefined);
  await until(() => uploads.all.get()[0]?.state === "ready");
  expect(uploads.all.get()[0]?.address).toBe(addressOf(1));
});

test("cancels the upload of a removed file, and deletes the file", async () => {
  const { uploads, puts, store } = start();
  const { id } = uploads.add("new", named("a"));
  await until(() => puts.length === 1);
  uploads.remove(id);
  await until(() => store.all.size === 0);
  expect(puts[0]?.signal.aborted).toBe(true);
  expect(uploads.all.get()).toEqual([]);
});

test("shows why the server refused a file, and uploads it again on retry", async () => {
  const { uploads, puts } = start();
  const { id } = uploads.add("new", named("a"));
  await until(() => puts.length === 1);
  const failure = {
    code: "file-too-large",
    message: "This file is larger than the server takes.",
    retry: false,
  };
  puts[0]?.reject(new CallError(failure, { status: 413 }));
  await until(() => uploads.all.get()[0]?.state === "failed");
  expect(uploads.all.get()[0]?.failure).toMatchObject({ code: "file-too-large", retry: false });
  uploads.retry(id);
  await until(() => puts.length === 2);
  expect(uploads.all.get()[0]?.failure).toBeUndefined();
});

test("is ready when the server has checked the file in the bucket, and shows why it refused one", async () => {
  const { uploads, puts, checks, store } = start(device(), "https://bucket.example");
  const { id } = uploads.add("new", named("a"));
  await until(() => puts.length === 1);
  puts[0]?.resolve(undefined);
  await until(() => checks.length === 1);
  expect(states(uploads)).toEqual(["a uploading"]);
  checks[0]?.reject(new CallError({ code: "quota-full", retry: false }, { status: 413 }));
  await until(() => uploads.all.get()[0]?.state === "failed");
  expect(uploads.all.get()[0]).toMatchObject({ failure: { code: "quota-full" } });
  expect(uploads.all.get()[0]?.address).toBeUndefined();
  expect(store.all.get(id)?.address).toBeUndefined();

  uploads.retry(id);
  await until(() => puts.length === 2);
  puts[1]?.resolve(undefined);
  await until(() => checks.length === 2);
  checks[1]?.resolve();
  await until(() => uploads.all.get()[0]?.state === "ready");
  expect(uploads.all.get()[0]?.address).toBe(addressOf(2));
});

test("continues after a reload with unfinished uploads, and keeps finished ones", async () => {
  const before = start();
  before.uploads.add("thread_1", named("there"));
  before.uploads.add("thread_1", named("underway"));
  await until(() => before.puts.length === 2);
  before.puts[0]?.resolve(undefined);
  await until(() => before.store.all.values().some(({ address }) => address !== undefined));

  // Closing the page releases its locks.
  before.puts[1]?.reject(new Error("gone"));

  const { uploads, puts } = start(before.store);
  await uploads.restore();
  await until(() => puts.length === 1);
  expect(states(uploads)).toEqual(["there ready", "underway uploading"]);
  expect(uploads.all.get().every(({ topic }) => topic === "thread_1")).toBe(true);
  expect(await puts[0]?.file.text()).toBe("words");
});

test("restores files in the order in which they were added, whichever upload ends first", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_000 });
  const { uploads, puts, store } = start();
  for (const name of ["a", "b", "c"]) uploads.add("new", named(name));
  await until(() => puts.length === 3);
  for (const at of [2, 1, 0]) {
    vi.setSystemTime(2_000 - at);
    puts[at]?.resolve(undefined);
    await until(() => [...store.all.values()][at]?.address !== undefined);
  }
  const { uploads: reloaded } = start(store);
  await reloaded.restore();
  expect(states(reloaded)).toEqual(["a ready", "b ready", "c ready"]);
});

test("does not upload a file again that another tab has uploaded meanwhile", async () => {
  const store = device();
  const first = start(store);
  first.uploads.add("new", named("a"));
  await until(() => first.puts.length === 1);
  const second = start(store);
  await second.uploads.restore();
  first.puts[0]?.resolve(undefined);
  await until(() => second.uploads.all.get()[0]?.state === "ready");
  expect(second.puts).toEqual([]);
});

test("uploads a file again that the server has deleted", async () => {
  const { uploads, puts, checks, store } = start(deviceWithReady(named("a")));
  await uploads.restore();
  await until(() => checks.length === 1);
  expect(states(uploads)).toEqual(["a ready"]);
  checks[0]?.reject(notFound());
  await until(() => puts.length === 1);
  expect(await puts[0]?.file.text()).toBe("words");
  puts[0]?.resolve(undefined);
  await until(() => uploads.all.get()[0]?.state === "ready");
  expect(uploads.all.get()[0]?.address).toBe(addressOf(1));
  await until(() => store.all.get("a")?.address === addressOf(1));
  expect(store.all.get("a")?.file).toBeDefined();
});

test("reports a deleted file whose bytes are not on this device", async () => {
  const { uploads, puts, checks } = start(deviceWithReady());
  await uploads.restore();
  await until(() => checks.length === 1);
  checks[0]?.reject(notFound());
  await until(() => uploads.all.get()[0]?.state === "failed");
  expect(uploads.all.get()[0]).toMatchObject({ failure: { code: "file-not-found", retry: false } });
  expect(uploads.all.get()[0]?.address).toBeUndefined();
  uploads.onReconnect();
  expect(states(uploads)).toEqual(["a failed"]);
  expect(puts).toEqual([]);
});

test("keeps uploaded files as they are if the server does not respond", async () => {
  const { uploads, puts, checks } = start(deviceWithReady(named("a")));
  await uploads.restore();
  await until(() => checks.length === 1);
  checks[0]?.reject(new CallError({ code: "network", retry: true }));
  uploads.verify();
  await until(() => checks.length === 2);
  checks[1]?.reject(new CallError({ code: "network", retry: true }));
  await new Promise((resolve) => setImmediate(resolve));
  uploads.onReconnect();
  await until(() => checks.length === 3);
  checks[2]?.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  uploads.verify();
  expect(checks).toHaveLength(3);
  expect(states(uploads)).toEqual(["a ready"]);
  expect(uploads.all.get()[0]?.address).toBe(addressOf(99));
  expect(puts).toEqual([]);
});

test("erases the files of a topic on this device, but not on the server: another tab may have sent them", async () => {
  const { uploads, puts, removed, created, store } = start();
  const address = addressOf(50);
  uploads.addStored(temporaryDraft, { name: "old", type: "text/plain", sizeBytes: 5, address });
  uploads.add(temporaryDraft, named("a"));
  uploads.add("new", named("b"));
  await until(() => puts.length === 2);
  for (const put of puts) put.resolve(undefined);
  await until(() => states(uploads).every((state) => state.endsWith("ready")));
  expect(created).toMatchObject([{ temporary: true }, { filename: "b" }]);
  expect(created[1]).not.toHaveProperty("temporary");
  uploads.erase(temporaryDraft);
  expect(states(uploads)).toEqual(["b ready"]);
  await until(() => store.all.size === 1);
  expect(removed).toEqual([]);
  uploads.move("new", temporaryDraft);
  expect(uploads.all.get()[0]?.topic).toBe(temporaryDraft);
  await until(() => store.all.values().some(({ topic }) => topic === temporaryDraft));
});

test("does not restore the files of a topic that was erased before they were read", async () => {
  const store = deviceWithReady(named("a"));
  store.all.set("b", { ...store.all.get("a")!, id: "b", name: "b", topic: "thread_1" });
  const { uploads } = start(store);
  uploads.erase("new");
  await uploads.restore();
  expect(states(uploads)).toEqual(["b ready"]);
  await until(() => store.all.size === 1);
});
