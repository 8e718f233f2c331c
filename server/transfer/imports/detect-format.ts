import { exportFormat } from "#contract/endpoints/exports.ts";
import type { ImportKind } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import { chatGptThread, isChatGpt } from "./chatgpt/chatgpt.ts";
import { claudeThread, isClaude } from "./claude/claude.ts";
import { claudeProject, isBlankProject, isClaudeProject } from "./claude/project.ts";
import {
  createExportFiles,
  noFiles,
  readOriginalNames,
  type ExportFiles,
} from "./other-services/export-files.ts";
import { checkManifest, isParlanceThread, parlanceThread } from "./parlance-export.ts";
import { streamJson } from "./stream-json.ts";
import type { ThreadSource } from "./thread-source.ts";
import type { Upload } from "./upload.ts";
import { openZip, type Zip, type ZipEntry, type ZipLimits } from "./zip/zip.ts";

/** An export of a known format. `count`: the number of threads, if it is known. */
export type DetectedImport = {
  /** null: the export is empty. */
  kind: ImportKind | null;
  count: number | null;
  threads: AsyncIterable<Candidate>;
  /** After the last thread: the files that no thread mentions. */
  unused: ExportFiles["unused"];
};

/** A thread to import, or why it is refused. The title, if it is known before the thread is read. */
export type Candidate =
  | { title: string | null; source: ThreadSource }
  | { title: string | null; error: AppError };

type Conversation = Record<string, unknown>;
type Reader = { kind: ImportKind; thread: (conversation: Conversation, files: ExportFiles) => ThreadSource };

const itemBytesMax = limits.importConversationBytes;

/**
 * Detects the format of an export by its bytes. Throws `import-unknown`, `import-too-new`, `import-damaged`,
 * `import-too-many-files` and `import-unsafe`.
 */
export async function detectFormat(upload: Upload, most: ZipLimits): Promise<DetectedImport> {
  for await (const head of upload.read(0, Math.min(4, upload.sizeBytes))) {
    if (Buffer.from(head).toString("latin1").startsWith("PK")) return await recognizeZip(upload, most);
    break;
  }
  return await recogniseJson(() => upload.read());
}

async function recognizeZip(upload: Upload, most: ZipLimits): Promise<DetectedImport> {
  const zip = await openZip(upload, most);
  const { entries } = zip;
  const manifest = entries.find(({ name }) => name === "manifest.json");
  const own = manifest === undefined ? undefined : await manifestOf(zip, manifest);
  if (own !== undefined) {
    checkManifest(own);
    const threads = entries.filter(({ name }) => isThread(name));
    zip.admit(entries.filter(({ name }) => isThread(name) || isFile(name)));
    const { unused } = noFiles;
    return {
      kind: "parlance",
      count: threads.length,
      threads: ownThreads(threads, bytesOnce(entries)),
      unused,
    };
  }
  const lists = entries
    .filter(({ name }) => conversations.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (lists.length === 0) throw new AppError("import-unknown");
  zip.admit(lists);
  const reads = lists.map((each) => () => each.read());
  const reader = await readerOfLists(reads);
  if (reader === undefined) return emptyImport();
  const names = entries.find(({ name }) => originalNames.test(name));
  const isRead = new Set([...lists, names]);
  const files = await createExportFiles(
    zip,
    entries.filter((entry) => !isRead.has(entry)),
    await readOriginalNames(zip, names),
  );
  return {
    kind: reader.kind,
    count: null,
    threads: conversationsOf(reads, reader.kind, files),
    unused: files.unused,
  };
}

/** Detects the service by the first conversation in the lists; `undefined`: they are empty. */
async function readerOfLists(lists: (() => AsyncIterable<Uint8Array>)[]): Promise<Reader | undefined> {
  let isEmpty = true;
  for (const read of lists) {
    for await (const conversation of conversationsIn(read)) {
      const reader = readerOf(conversation);
      if (reader !== undefined) return reader;
      isEmpty = false;
    }
  }
  if (isEmpty) return undefined;
  throw new AppError("import-unknown");
}

/** The elements of a list, or of the list in an object. An object without the list is a conversation itself. */
async function* conversationsIn(read: () => AsyncIterable<Uint8Array>): AsyncGenerator {
  const members: Conversation = {};
  let hasElements = false;
  for await (const item of streamJson(read(), { lists: ["conversations"], itemBytesMax })) {
    if ("element" in item) {
      hasElements = true;
      yield item.element;
    } else members[item.key] = item.value;
  }
  if (!hasElements && Object.keys(members).length > 0) yield members;
}

function emptyImport(): DetectedImport {
  return { kind: null, count: 0, threads: conversationsOf([], undefined, noFiles), unused: noFiles.unused };
}

/**
 * The file names of ChatGPT and Claude, in any folder. ChatGPT numbers several files. Claude has its projects in one file,
 * or in a folder with a file for each.
 */
const conversations = /^(?:.*\/)?(?:conversations(?:[-_]\d+)?|projects|projects\/[^/]+)\.json$/;
/** ChatGPT's list of the names of its `.dat` files. */
const originalNames = /^(?:.*\/)?conversation_asset_file_names\.json$/;

function isThread(name: string): boolean {
  return /^threads\/[^/]+\.json$/.test(name);
}

/** Our manifest; `undefined`: the file of this name is another service's. */
async function manifestOf(zip: Zip, entry: ZipEntry): Promise<unknown> {
  if (entry.sizeBytes > 1024 * 1024) return undefined;
  zip.admit([entry]);
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
    const source = parlanceThread(() => entry.read(), bytesOf);
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
  const { unused } = noFiles;
  let isEmpty = true;
  try {
    for await (const item of streamJson(read(), { lists: ["messages", "conversations"], itemBytesMax })) {
      isEmpty = false;
      if ("element" in item) {
        const reader = readerOf(item.element);
        // Our own exports name the format before the messages, but hand-written ones may not.
        if (reader === undefined) continue;
        return {
          kind: reader.kind,
          count: null,
          threads: conversationsOf([read], reader.kind, noFiles),
          unused,
        };
      }
      if (isParlanceThread(item.key, item.value))
        return { kind: "parlance", count: 1, threads: single(null, parlanceThread(read)), unused };
      members[item.key] = item.value;
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "bad-json")
      throw new AppError("import-unknown", { cause: error });
    throw error;
  }
  if (isEmpty) return emptyImport();
  const reader = readerOf(members);
  if (reader === undefined) throw new AppError("import-unknown");
  const source = reader.thread(members, noFiles);
  return { kind: reader.kind, count: 1, threads: single(titleOf(members), source), unused };
}

const readers: Reader[] = [
  { kind: "chatgpt", thread: chatGptThread },
  { kind: "claude", thread: claudeThread },
  { kind: "claude", thread: claudeProject },
];

function readerOf(value: unknown): Reader | undefined {
  if (isChatGpt(value)) return readers[0];
  if (isClaude(value)) return readers[1];
  return isClaudeProject(value) ? readers[2] : undefined;
}

async function* single(title: string | null, source: ThreadSource): AsyncGenerator<Candidate> {
  yield await Promise.resolve({ title, source });
}

/** The conversations of lists, one in memory at a time. A truncated list ends with a refused candidate. */
async function* conversationsOf(
  lists: (() => AsyncIterable<Uint8Array>)[],
  kind: ImportKind | undefined,
  files: ExportFiles,
): AsyncGenerator<Candidate> {
  for (const read of lists) {
    try {
      for await (const element of conversationsIn(read)) {
        const conversation = element as Conversation;
        if (isBlankProject(conversation)) continue;
        const title = titleOf(conversation);
        const reader = readerOf(conversation);
        if (reader !== undefined && reader.kind === kind)
          yield { title, source: reader.thread(conversation, files) };
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
