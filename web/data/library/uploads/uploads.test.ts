import { expect, test } from "vitest";
import type { Call } from "#web/data/call.ts";
import { CallError } from "#web/data/call-error.ts";
import type { KeptFile, KeptFiles } from "./kept-files.ts";
import type { SendOptions } from "../send-file.ts";
import { createUploads, type Uploads } from "./uploads.ts";

/** A device that keeps what it is given, as IndexedDB does. */
function device(): KeptFiles & { all: Map<string, KeptFile> } {
  const all = new Map<string, KeptFile>();
  return {
    all,
    read: async () => [...all.values()],
    find: async (id) => all.get(id),
    write: async (kept) => void all.set(kept.id, kept),
    remove: async (id) => void all.delete(id),
  };
}

const addressOf = (at: number) =>
  `https://chat.example/v1/content/file_0${String(at).padStart(24, "0")}/secret.txt`;

/** A device that has kept what was ready before the page was loaded anew. */
function deviceWithReady(file?: Blob) {
  const kept = device();
  const ready = {
    id: "a",
    topic: "new",
    name: "a",
    type: "text/plain",
    sizeBytes: 5,
    address: addressOf(99),
  };
  kept.all.set("a", { ...ready, addedAtMs: 1, ...(file === undefined ? {} : { file }) });
  return kept;
}

const notFound = () => new CallError({ code: "file-not-found", retry: false }, { status: 404 });

type Put = SendOptions & { file: Blob } & PromiseWithResolvers<CallError | undefined>;

/** A service whose uploads end when the test says so, and that takes files in from its `bucket` when it says so. */
function service(kept = device(), bucket = "") {
  const puts: Put[] = [];
  const asked: unknown[] = [];
  const taking: PromiseWithResolvers<void>[] = [];
  const call = (async (name: string, { body }: { body: unknown }) => {
    if (name === "files.get") {
      taking.push(Promise.withResolvers<void>());
      return await taking.at(-1)!.promise;
    }
    asked.push(body);
    const at = asked.length;
    return { signedUrl: `${bucket}/put/${at}`, publicUrl: addressOf(at) };
  }) as unknown as Call;
  const sendFile = async (_: unknown, file: Blob, options: SendOptions) => {
    const put = { file, ...options, ...Promise.withResolvers<CallError | undefined>() };
    options.signal.addEventListener("abort", () => put.reject(options.signal.reason));
    puts.push(put);
    return await put.promise;
  };
  return {
    uploads: createUploads({ call, sendFile, kept, owner: () => undefined }),
    puts,
    asked,
    taking,
    kept,
  };
}

function named(name: string, type = "text/plain"): File {
  return new File(["words"], name, { type });
}

const states = (uploads: Uploads) => uploads.all.get().map(({ name, state }) => `${name} ${state}`);
const until = async (met: () => boolean) => {
  for (let turns = 0; !met(); turns++) {
    if (turns > 200) throw new Error("It never came to that.");
    await new Promise((resolve) => setImmediate(resolve));
  }
};

test("sends three files at once, and the next as soon as one has arrived", async () => {
  const { uploads, puts } = service();
  for (const name of ["a", "b", "c", "d"]) uploads.add("new", named(name));
  await until(() => puts.length === 3);
  expect(states(uploads)).toEqual(["a uploading", "b uploading", "c uploading", "d waiting"]);
  puts[1]?.resolve(undefined);
  await until(() => puts.length === 4);
  expect(states(uploads)).toEqual(["a uploading", "b ready", "c uploading", "d uploading"]);
});

test("declares what it sends, and has the address that was given once it is there", async () => {
  const { uploads, puts, asked } = service();
  uploads.add("new", named("notes.txt"));
  await until(() => puts.length === 1);
  expect(asked).toEqual([{ filename: "notes.txt", content_type: "text/plain", content_length: 5 }]);
  puts[0]?.sent(3);
  expect(uploads.all.get()[0]?.sentBytes).toBe(3);
  expect(uploads.all.get()[0]?.address).toBeUndefined();
  puts[0]?.resolve(undefined);
  await until(() => uploads.all.get()[0]?.state === "ready");
  expect(uploads.all.get()[0]?.address).toBe(addressOf(1));
});

test("breaks off what is taken out, and forgets it", async () => {
  const { uploads, puts, kept } = service();
  const { id } = uploads.add("new", named("a"));
  await until(() => puts.length === 1);
  uploads.remove(id);
  await until(() => kept.all.size === 0);
  expect(puts[0]?.signal.aborted).toBe(true);
  expect(uploads.all.get()).toEqual([]);
});

test("says what the service refused, and tries again when asked", async () => {
  const { uploads, puts } = service();
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
  uploads.again(id);
  await until(() => puts.length === 2);
  expect(uploads.all.get()[0]?.failure).toBeUndefined();
});

test("is ready once the service has what came to its bucket, and says what it does not keep", async () => {
  const { uploads, puts, taking, kept } = service(device(), "https://bucket.example");
  const { id } = uploads.add("new", named("a"));
  await until(() => puts.length === 1);
  puts[0]?.resolve(undefined);
  await until(() => taking.length === 1);
  expect(states(uploads)).toEqual(["a uploading"]);
  taking[0]?.reject(new CallError({ code: "quota-full", retry: false }, { status: 413 }));
  await until(() => uploads.all.get()[0]?.state === "failed");
  expect(uploads.all.get()[0]).toMatchObject({ failure: { code: "quota-full" } });
  expect(uploads.all.get()[0]?.address).toBeUndefined();
  expect(kept.all.get(id)?.address).toBeUndefined();

  uploads.again(id);
  await until(() => puts.length === 2);
  puts[1]?.resolve(undefined);
  await until(() => taking.length === 2);
  taking[1]?.resolve();
  await until(() => uploads.all.get()[0]?.state === "ready");
  expect(uploads.all.get()[0]?.address).toBe(addressOf(2));
});

test("goes on after a reload with what had not arrived, and has what had", async () => {
  const before = service();
  before.uploads.add("thread_1", named("there"));
  before.uploads.add("thread_1", named("underway"));
  await until(() => before.puts.length === 2);
  before.puts[0]?.resolve(undefined);
  await until(() => before.kept.all.values().some(({ address }) => address !== undefined));

  // The page goes, and its locks with it.
  before.puts[1]?.reject(new Error("gone"));

  const { uploads, puts } = service(before.kept);
  await uploads.restored();
  await until(() => puts.length === 1);
  expect(states(uploads)).toEqual(["there ready", "underway uploading"]);
  expect(uploads.all.get().every(({ topic }) => topic === "thread_1")).toBe(true);
  expect(await puts[0]?.file.text()).toBe("words");
});

test("does not send again what another tab has sent meanwhile", async () => {
  const kept = device();
  const first = service(kept);
  first.uploads.add("new", named("a"));
  await until(() => first.puts.length === 1);
  const second = service(kept);
  await second.uploads.restored();
  first.puts[0]?.resolve(undefined);
  await until(() => second.uploads.all.get()[0]?.state === "ready");
  expect(second.puts).toEqual([]);
});

test("sends again what was ready and is gone at the service", async () => {
  const { uploads, puts, taking, kept } = service(deviceWithReady(named("a")));
  await uploads.restored();
  await until(() => taking.length === 1);
  expect(states(uploads)).toEqual(["a ready"]);
  taking[0]?.reject(notFound());
  await until(() => puts.length === 1);
  expect(await puts[0]?.file.text()).toBe("words");
  puts[0]?.resolve(undefined);
  await until(() => uploads.all.get()[0]?.state === "ready");
  expect(uploads.all.get()[0]?.address).toBe(addressOf(1));
  await until(() => kept.all.get("a")?.address === addressOf(1));
  expect(kept.all.get("a")?.file).toBeDefined();
});

test("says that a file is gone whose bytes are not here either", async () => {
  const { uploads, puts, taking } = service(deviceWithReady());
  await uploads.restored();
  await until(() => taking.length === 1);
  taking[0]?.reject(notFound());
  await until(() => uploads.all.get()[0]?.state === "failed");
  expect(uploads.all.get()[0]).toMatchObject({ failure: { code: "file-not-found", retry: false } });
  expect(uploads.all.get()[0]?.address).toBeUndefined();
  uploads.lineIsBack();
  expect(states(uploads)).toEqual(["a failed"]);
  expect(puts).toEqual([]);
});

test("leaves what is ready as it is where the service does not answer", async () => {
  const { uploads, puts, taking } = service(deviceWithReady(named("a")));
  await uploads.restored();
  await until(() => taking.length === 1);
  taking[0]?.reject(new CallError({ code: "network", retry: true }));
  uploads.look();
  await until(() => taking.length === 2);
  taking[1]?.reject(new CallError({ code: "network", retry: true }));
  await new Promise((resolve) => setImmediate(resolve));
  uploads.lineIsBack();
  await until(() => taking.length === 3);
  taking[2]?.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  uploads.look();
  expect(taking).toHaveLength(3);
  expect(states(uploads)).toEqual(["a ready"]);
  expect(uploads.all.get()[0]?.address).toBe(addressOf(99));
  expect(puts).toEqual([]);
});
