import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Conversation, DetectedImport, Importer, JsonFile, NotYet } from "./importer.ts";
import type { Candidate } from "./thread-source.ts";
import { filesAboutExports, importers, longLists, notYet } from "./importers.ts";
import { createSkipped, type Skipped } from "./other-services/converted-messages.ts";
import {
  createExportFiles,
  noFiles,
  readOriginalNames,
  type ExportFiles,
} from "./other-services/files-of-export.ts";
import {
  beginsWith,
  isSqlite,
  readArchiveUpload,
  readServerZip,
  readSqliteUpload,
  type DatabaseReader,
} from "./servers/detect-server.ts";
import { readParlanceServer } from "./servers/parlance-server.ts";
import type { ServerExport } from "./servers/server-export.ts";
import { isParlanceThread, parlanceThread, readParlanceZip } from "./parlance-export.ts";
import { streamJson } from "./stream-json.ts";
import type { Upload } from "./upload.ts";
import { openZip, type ZipEntry, type ZipLimits } from "./zip/zip.ts";

const itemBytesMax = limits.importConversationBytes;

type Read = () => AsyncIterable<Uint8Array>;
type OpenSpool = JsonFile["openSpool"];

/**
 * Detects the format of an export by its bytes. Throws `import-unknown`, `import-too-new`, `import-damaged`,
 * `import-too-many-files` and `import-unsafe`.
 */
export async function detectFormat(
  upload: Upload,
  { most, ...given }: Omit<DatabaseReader, "unpackedBytesMax"> & { most: ZipLimits },
): Promise<DetectedImport> {
  const { openSpool } = given;
  const reader = { ...given, unpackedBytesMax: most.unpackedBytes };
  if (await isSqlite(upload)) return importOfServer(await readSqliteUpload(upload, reader), noFiles.unused);
  for await (const head of upload.read(0, Math.min(4, upload.sizeBytes))) {
    if (Buffer.from(head).toString("latin1").startsWith("PK"))
      return await recognizeZip(upload, most, reader);
    break;
  }
  const archive = await readArchiveUpload(upload, reader);
  if (archive !== undefined) return importOfServer(archive, noFiles.unused);
  if (await beginsWith(isHtml, upload.read())) throw new AppError("import-html");
  return await recognizeJson(() => upload.read(), openSpool);
}

/** The import of a server is the import of its people. Until one is chosen, it has no threads. */
function importOfServer(server: ServerExport, unused: ExportFiles["unused"]): DetectedImport {
  return { kind: server.kind, count: null, threads: single([]), server, unused };
}

async function recognizeZip(
  upload: Upload,
  most: ZipLimits,
  reader: DatabaseReader,
): Promise<DetectedImport> {
  const { openSpool } = reader;
  const zip = await openZip(upload, most);
  const own = await readParlanceZip(zip);
  if (own !== undefined) return own;
  const everyone = await readParlanceServer(upload, zip, reader);
  if (everyone !== undefined) return importOfServer(everyone, noFiles.unused);
  const ofServer = await readServerZip(zip, reader);
  if (ofServer !== undefined) return importOfServer(ofServer.server, ofServer.unused);
  const { entries } = zip;
  const { lists, reader: found } = await findLists(entries, zip.admit);
  if (found === undefined) return emptyImport();
  const names = entries.find(({ name }) => "thread" in found && found.originalNames?.test(name));
  const isRead = new Set([...lists, names]);
  const files = await createExportFiles(
    zip,
    entries.filter((entry) => !isRead.has(entry) && !filesAboutExports.test(entry.name)),
    await readOriginalNames(zip, names),
  );
  const reads = lists.map((each) => () => each.read());
  return importOf(reads, found, files, openSpool);
}

const isWebPage = (name: string): boolean => /\.html?$/i.test(name);

function isHtml(head: Uint8Array): boolean {
  return /^\uFEFF?\s*<(?:!doctype html|html|head)\b/i.test(
    Buffer.from(head.subarray(0, 1_024)).toString("utf8"),
  );
}

/** Services whose files can have any name. */
const isAnyJson = ({ files }: Importer): boolean => files.test("any.json");

/** What reads the elements of a file. */
type Reader = Importer | NotYet;

const isImporter = (reader: Reader): reader is Importer => "thread" in reader;

/**
 * The files of a zip that have conversations or what there is no place for yet, and what reads them. Without it they are
 * empty. Throws `import-unknown` and `import-html`.
 */
async function findLists(
  entries: readonly ZipEntry[],
  admit: (entries: readonly ZipEntry[]) => void,
): Promise<{ lists: ZipEntry[]; reader: Reader | undefined }> {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const named = [...importers.filter((importer) => !isAnyJson(importer)), ...notYet];
  const lists = sorted.filter(({ name }) => named.some(({ files }) => files.test(name)));
  if (lists.length > 0) {
    admit(lists);
    return { lists, reader: await readerOfLists(lists) };
  }
  const others = sorted.filter(({ name }) => /\.json$/i.test(name));
  admit(others);
  const found: { entry: ZipEntry; reader: Reader }[] = [];
  for (const entry of others) {
    const reader = await readerOfFile(() => entry.read()).catch((error: unknown) => {
      // A file in the zip that is none of the export.
      if (error instanceof AppError) return undefined;
      throw error;
    });
    if (typeof reader === "object") found.push({ entry, reader });
  }
  const reader = found[0]?.reader;
  if (reader === undefined)
    throw new AppError(entries.some(({ name }) => isWebPage(name)) ? "import-html" : "import-unknown");
  return { lists: found.flatMap((each) => (each.reader === reader ? [each.entry] : [])), reader };
}

/** Detects the service by the first conversation in the lists, or by other content; `undefined`: they are empty. */
async function readerOfLists(lists: readonly ZipEntry[]): Promise<Reader | undefined> {
  let isEmpty = true;
  let beside: Reader | undefined;
  for (const list of lists) {
    const reader = await readerOfFile(() => list.read());
    if (typeof reader === "object" && isImporter(reader)) return reader;
    if (reader === "unknown") isEmpty = false;
    else beside ??= reader;
  }
  if (isEmpty || beside !== undefined) return beside;
  throw new AppError("import-unknown");
}

/** What reads the first element of a file that it knows. `undefined`: the file is empty. */
async function readerOfFile(read: Read): Promise<Reader | "unknown" | undefined> {
  const members: Conversation = {};
  let isEmpty = true;
  for await (const item of streamJson(read(), { lists: longLists, itemBytesMax })) {
    isEmpty = false;
    if (!("element" in item)) {
      members[item.key] = item.value;
      continue;
    }
    const reader = readerOf(item.element, item.list);
    if (reader !== undefined) return reader;
  }
  if (isEmpty) return undefined;
  return readerOf(members, "") ?? "unknown";
}

/** The elements of a list, or of the list in an object. An object without the list is a conversation itself. */
async function* conversationsIn(read: Read): AsyncGenerator {
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
  return { kind: null, count: 0, threads: single([]), unused: noFiles.unused };
}

async function recognizeJson(read: Read, openSpool: OpenSpool): Promise<DetectedImport> {
  const members: Conversation = {};
  let isEmpty = true;
  const importsAs = (reader: Reader) => importOf([read], reader, noFiles, openSpool);
  try {
    for await (const item of streamJson(read(), { lists: longLists, itemBytesMax })) {
      isEmpty = false;
      if ("element" in item) {
        const reader = readerOf(item.element, item.list);
        // Our own exports name the format before the messages, but hand-written ones may not.
        if (reader !== undefined) return importsAs(reader);
        continue;
      }
      if (isParlanceThread(item.key, item.value))
        return {
          kind: "parlance",
          count: 1,
          threads: single([{ title: null, source: parlanceThread(read) }]),
          unused: noFiles.unused,
        };
      members[item.key] = item.value;
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "bad-json")
      throw new AppError("import-unknown", { cause: error });
    throw error;
  }
  if (isEmpty) return emptyImport();
  const reader = readerOf(members, "");
  if (reader === undefined) throw new AppError("import-unknown");
  return importsAs(reader);
}

function readerOf(value: unknown, list: string): Reader | undefined {
  return (
    importers.find((importer) => importer.recognizes(value, list)) ??
    notYet.find((each) => each.recognizes(value))
  );
}

function importOf(
  reads: readonly Read[],
  reader: Reader,
  files: ExportFiles,
  openSpool: OpenSpool,
): DetectedImport {
  const skipped = createSkipped();
  return {
    kind: reader.kind,
    count: null,
    threads: conversationsOf(reads, reader, { files, openSpool, skipped }),
    skipped: skipped.list,
    unused: files.unused,
  };
}

async function* single(candidates: readonly Candidate[]): AsyncGenerator<Candidate> {
  for (const candidate of candidates) yield await Promise.resolve(candidate);
}

/**
 * The conversations of lists, one in memory at a time. A truncated list ends with a refused candidate. What there is no
 * place for is counted.
 */
async function* conversationsOf(
  lists: readonly Read[],
  reader: Reader,
  { files, openSpool, skipped }: { files: ExportFiles; openSpool: OpenSpool; skipped: Skipped },
): AsyncGenerator<Candidate> {
  const gather = isImporter(reader) ? reader.gather : undefined;
  for (const read of lists) {
    const items: JsonFile["items"] = (long) => streamJson(read(), { lists: long, itemBytesMax });
    try {
      for await (const element of gather?.({ items, openSpool }) ?? conversationsIn(read)) {
        const conversation = element as Conversation;
        const title = titleOf(conversation);
        const found = readerOf(conversation, "");
        if (found === undefined || found.kind !== reader.kind)
          yield { title, error: new AppError("import-unknown") };
        else if (!isImporter(found))
          for (const [name, count] of Object.entries(found.countOf(conversation)))
            skipped.add("not-yet", name, count);
        else if (found.isBlank?.(conversation) !== true)
          yield { title, source: found.thread(conversation, files) };
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
