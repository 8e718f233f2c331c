import type { ImportKind } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Candidate, Conversation, DetectedImport, Importer } from "./importer.ts";
import { importers } from "./importers.ts";
import {
  createExportFiles,
  noFiles,
  readOriginalNames,
  type ExportFiles,
} from "./other-services/files-of-export.ts";
import { isParlanceThread, parlanceThread, readParlanceZip } from "./parlance-export.ts";
import { streamJson } from "./stream-json.ts";
import type { ThreadSource } from "./thread-source.ts";
import type { Upload } from "./upload.ts";
import { openZip, type ZipLimits } from "./zip/zip.ts";

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
  return await recognizeJson(() => upload.read());
}

async function recognizeZip(upload: Upload, most: ZipLimits): Promise<DetectedImport> {
  const zip = await openZip(upload, most);
  const own = await readParlanceZip(zip);
  if (own !== undefined) return own;
  const { entries } = zip;
  const lists = entries
    .filter(({ name }) => importers.some(({ files }) => files.test(name)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (lists.length === 0) throw new AppError("import-unknown");
  zip.admit(lists);
  const reads = lists.map((each) => () => each.read());
  const importer = await importerOfLists(reads);
  if (importer === undefined) return emptyImport();
  const names = entries.find(({ name }) => importer.originalNames?.test(name));
  const isRead = new Set([...lists, names]);
  const files = await createExportFiles(
    zip,
    entries.filter((entry) => !isRead.has(entry)),
    await readOriginalNames(zip, names),
  );
  return {
    kind: importer.kind,
    count: null,
    threads: conversationsOf(reads, importer.kind, files),
    unused: files.unused,
  };
}

/** Detects the service by the first conversation in the lists; `undefined`: they are empty. */
async function importerOfLists(lists: (() => AsyncIterable<Uint8Array>)[]): Promise<Importer | undefined> {
  let isEmpty = true;
  for (const read of lists) {
    for await (const conversation of conversationsIn(read)) {
      const importer = importerOf(conversation);
      if (importer !== undefined) return importer;
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

async function recognizeJson(read: () => AsyncIterable<Uint8Array>): Promise<DetectedImport> {
  const members: Conversation = {};
  const { unused } = noFiles;
  let isEmpty = true;
  try {
    for await (const item of streamJson(read(), { lists: ["messages", "conversations"], itemBytesMax })) {
      isEmpty = false;
      if ("element" in item) {
        const importer = importerOf(item.element);
        // Our own exports name the format before the messages, but hand-written ones may not.
        if (importer === undefined) continue;
        return {
          kind: importer.kind,
          count: null,
          threads: conversationsOf([read], importer.kind, noFiles),
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
  const importer = importerOf(members);
  if (importer === undefined) throw new AppError("import-unknown");
  const source = importer.thread(members, noFiles);
  return { kind: importer.kind, count: 1, threads: single(titleOf(members), source), unused };
}

function importerOf(value: unknown): Importer | undefined {
  return importers.find((importer) => importer.recognizes(value));
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
        const title = titleOf(conversation);
        const importer = importerOf(conversation);
        if (importer?.isBlank?.(conversation) === true) continue;
        if (importer !== undefined && importer.kind === kind)
          yield { title, source: importer.thread(conversation, files) };
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
