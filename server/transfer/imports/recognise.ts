import { exportFormat } from "#contract/endpoints/exports.ts";
import type { ImportKind } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { isChatGpt, chatGptThread } from "./chatgpt.ts";
import { isClaude, claudeThread } from "./claude.ts";
import { jsonPieces } from "./json-pieces.ts";
import { checkManifest, isOwnThread, ownThread } from "./own.ts";
import type { ThreadSource } from "./thread-source.ts";
import type { Upload } from "./upload.ts";
import { zipEntries, type ZipEntry, type ZipLimits } from "./zip.ts";

/** An export that is known: whose it is, how many threads it has where that shows, and each of them in turn. */
export type Recognised = {
  kind: ImportKind;
  count: number | null;
  threads: AsyncIterable<Candidate>;
};

/** A thread to be, or why it cannot be one; the title where it shows before the thread is read. */
export type Candidate =
  | { title: string | null; source: ThreadSource }
  | { title: string | null; error: AppError };

type Conversation = Record<string, unknown>;
type Reader = { kind: ImportKind; thread: (conversation: Conversation) => ThreadSource };

const pieceBytesMax = limits.importConversationBytes;

/**
 * What a file is, by its bytes whatever its name. Throws `import-unknown`, `import-too-new`, `import-damaged`,
 * `import-unsafe`.
 */
export async function recognise(upload: Upload, most: ZipLimits): Promise<Recognised> {
  for await (const head of upload.read(0, Math.min(4, upload.sizeBytes))) {
    if (Buffer.from(head).toString("latin1").startsWith("PK")) return await recogniseZip(upload, most);
    break;
  }
  return await recogniseJson(() => upload.read());
}

async function recogniseZip(upload: Upload, most: ZipLimits): Promise<Recognised> {
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

/** Whose lists these are: the first that has a conversation says so. */
async function readerOfLists(lists: ZipEntry[]): Promise<Reader> {
  for (const list of lists) {
    for await (const piece of jsonPieces(list.read(), { pieceBytesMax })) {
      const reader = "element" in piece ? readerOf(piece.element) : undefined;
      if (reader !== undefined) return reader;
    }
  }
  throw new AppError("import-unknown");
}

/** ChatGPT and Claude call theirs so, in a folder or not; the former numbers them where there are many. */
const conversations = /^(?:[^/]+\/)?conversations(?:-\d+)?\.json$/;

function isWanted(name: string): boolean {
  return (
    name === "manifest.json" ||
    /^threads\/[^/]+\.json$/.test(name) ||
    isFile(name) ||
    conversations.test(name)
  );
}

/** The manifest, where it is one of ours: others have files of that name too. */
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

/** The bytes of files by their path: once each, so that a small zip cannot have the same read again and again. */
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

/** What a thread is told as where its file cannot be read: the name that a person sees when they unpack the zip. */
function titleOfFile(name: string): string {
  return name.replace(/^threads\//, "");
}

async function recogniseJson(read: () => AsyncIterable<Uint8Array>): Promise<Recognised> {
  const members: Conversation = {};
  try {
    for await (const piece of jsonPieces(read(), { list: "messages", pieceBytesMax })) {
      if ("element" in piece) {
        const reader = readerOf(piece.element);
        // An export of ours that names its format after its messages is none that we wrote; it is read all the same.
        if (reader === undefined) continue;
        return { kind: reader.kind, count: null, threads: conversationsOf([read], reader) };
      }
      if (isOwnThread(piece.key, piece.value))
        return { kind: "parlance", count: 1, threads: single(null, ownThread(read)) };
      members[piece.key] = piece.value;
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

/** The conversations of lists, one in memory at a time. A list that breaks off ends with one that is refused. */
async function* conversationsOf(
  lists: (() => AsyncIterable<Uint8Array>)[],
  reader: Reader,
): AsyncGenerator<Candidate> {
  for (const read of lists) {
    try {
      for await (const piece of jsonPieces(read(), { pieceBytesMax })) {
        if (!("element" in piece)) continue;
        const conversation = piece.element as Conversation;
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
