import { exportFormat } from "#contract/endpoints/exports.ts";
import type { ImportKind } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { isChatGpt, chatGptThread } from "./chatgpt.ts";
import { isClaude, claudeThread } from "./claude.ts";
import { streamJson } from "./stream-json.ts";
import { checkManifest, isOwnThread, ownThread } from "./own.ts";
import type { ThreadSource } from "./thread-source.ts";
import type { Upload } from "./upload.ts";
import { zipEntries, type ZipEntry, type ZipLimits } from "./zip.ts";

/** An export of a known format. `count`: the number of threads, if it is known. */
export type DetectedImport = {
  kind: ImportKind;
  count: number | null;
  threads: AsyncIterable<Candidate>;
};

/** A thread to import, or why it is refused. The title, if it is known before the thread is read. */
export type Candidate =
  | { title: string | null; source: ThreadSource }
  | { title: string | null; error: AppError };

type Conversation = Record<string, unknown>;
type Reader = { kind: ImportKind; thread: (conversation: Conversation) => ThreadSource };

const itemBytesMax = limits.importConversationBytes;

/**
 * Detects the format of an export by its bytes. Throws `import-unknown`, `import-too-new`, `import-damaged` and
 * `import-unsafe`.
 */
export async function detectFormat(upload: Upload, most: ZipLimits): Promise<DetectedImport> {
  for await (const head of upload.read(0, Math.min(4, upload.sizeBytes))) {
    if (Buffer.from(head).toString("latin1").startsWith("PK")) return await recogniseZip(upload, most);
    break;
  }
  return await recogniseJson(() => upload.read());
}

async function recogniseZip(upload: Upload, most: ZipLimits): Promise<DetectedImport> {
  const entries = await zipEntries(upload, most, isWanted);
  const manifest = entries.find(({ name }) => name === "manifest.json");
  const own = manifest === undefined ? undefined : await manifestOf(manifest);
  if (own !== undefined) {
    checkManifest(own);
    const threads = entries.filter(({ name }) => /^threads\/[^/]+\.json$/.test(name));
    return { kind: "parlance", count: threads.length, threads: ownThreads(threads, bytesOnce(entries)) };
  }
  const lists = entries
    .filter(({ name }) => conversations.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const reader = await readerOfLists(lists);
  return {
    kind: reader.kind,
    count: null,
    threads: conversationsOf(
      lists.map((each) => () => each.read()),
      reader,
    ),
  };
}

/** Detects the service by the first conversation in the lists. */
async function readerOfLists(lists: ZipEntry[]): Promise<Reader> {
  for (const list of lists) {
    for await (const item of streamJson(list.read(), { itemBytesMax })) {
      const reader = "element" in item ? readerOf(item.element) : undefined;
      if (reader !== undefined) return reader;
    }
  }
  throw new AppError("import-unknown");
}

/** The file names of ChatGPT and Claude, with or without a folder. ChatGPT numbers several files. */
const conversations = /^(?:[^/]+\/)?conversations(?:-\d+)?\.json$/;

function isWanted(name: string): boolean {
  return (
    name === "manifest.json" ||
    /^threads\/[^/]+\.json$/.test(name) ||
    isFile(name) ||
    conversations.test(name)
  );
}

/** Our manifest; `undefined`: the file of this name is another service's. */
async function manifestOf(entry: ZipEntry): Promise<unknown> {
  if (entry.sizeBytes > 1024 * 1024) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.read()) chunks.push(chunk);
  try {
    const value = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { format?: unknown } | null;
    return value?.format === exportFormat ? value : undefined;
  } catch {
    return undefined;
  }
}

async function* ownThreads(
  entries: ZipEntry[],
  bytesOf: (path: string) => AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Candidate> {
  for (const entry of entries) {
    const source = ownThread(() => entry.read(), bytesOf);
    yield await Promise.resolve({ title: titleOfFile(entry.name), source });
  }
}

/** The bytes of files by path. Each can be read once, so that a small zip cannot cause unlimited work. */
function bytesOnce(entries: ZipEntry[]): (path: string) => AsyncIterable<Uint8Array> | undefined {
  const unread = new Map(entries.filter(({ name }) => isFile(name)).map((entry) => [entry.name, entry]));
  return (path) => {
    const entry = unread.get(path);
    unread.delete(path);
    return entry?.read();
  };
}

function isFile(name: string): boolean {
  return /^files\/[^/]+$/.test(name);
}

/** The name in the import report, until the title is known. */
function titleOfFile(name: string): string {
  return name.replace(/^threads\//, "");
}

async function recogniseJson(read: () => AsyncIterable<Uint8Array>): Promise<DetectedImport> {
  const members: Conversation = {};
  try {
    for await (const item of streamJson(read(), { list: "messages", itemBytesMax })) {
      if ("element" in item) {
        const reader = readerOf(item.element);
        // Our own exports name the format before the messages, but hand-written ones may not.
        if (reader === undefined) continue;
        return { kind: reader.kind, count: null, threads: conversationsOf([read], reader) };
      }
      if (isOwnThread(item.key, item.value))
        return { kind: "parlance", count: 1, threads: single(null, ownThread(read)) };
      members[item.key] = item.value;
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "bad-json")
      throw new AppError("import-unknown", { cause: error });
    throw error;
  }
  const reader = readerOf(members);
  if (reader === undefined) throw new AppError("import-unknown");
  return { kind: reader.kind, count: 1, threads: single(titleOf(members), reader.thread(members)) };
}

const readers: Reader[] = [
  { kind: "chatgpt", thread: chatGptThread },
  { kind: "claude", thread: claudeThread },
];

function readerOf(value: unknown): Reader | undefined {
  if (isChatGpt(value)) return readers[0];
  return isClaude(value) ? readers[1] : undefined;
}

async function* single(title: string | null, source: ThreadSource): AsyncGenerator<Candidate> {
  yield await Promise.resolve({ title, source });
}

/** The conversations of lists, one in memory at a time. A truncated list ends with a refused candidate. */
async function* conversationsOf(
  lists: (() => AsyncIterable<Uint8Array>)[],
  reader: Reader,
): AsyncGenerator<Candidate> {
  for (const read of lists) {
    try {
      for await (const item of streamJson(read(), { itemBytesMax })) {
        if (!("element" in item)) continue;
        const conversation = item.element as Conversation;
        const title = titleOf(conversation);
        if (readerOf(conversation) === reader) yield { title, source: reader.thread(conversation) };
        else yield { title, error: new AppError("import-unknown") };
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      yield { title: null, error };
    }
  }
}

function titleOf(conversation: Conversation): string | null {
  const title = conversation?.title ?? conversation?.name;
  return typeof title === "string" && title !== "" ? title : null;
}
