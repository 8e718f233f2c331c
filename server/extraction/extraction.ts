import type { ModelInput } from "#contract/endpoints/models.ts";
import type { UnreadFile, UnreadReason } from "#contract/parts/unread-files.ts";
import { BlobMissingError, BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { StorageBusyError } from "#storage/lib/errors.ts";
import type { SteadyClock } from "../lib/clock.ts";
import { createKeyedMutex } from "../lib/concurrency/keyed-mutex.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import type { PagePictures } from "../files/serving/pdf/page-pictures.ts";
import type { Logger } from "../lib/logger.ts";
import type { ModelFacts } from "../models/model.ts";
import { fileLabel } from "../parts/file-prompts.ts";
import type { ModelMessage, ModelUserPart } from "../parts/model-message.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { ExtractionError } from "./extraction-error.ts";
import { createFailureBackoff } from "./failure-backoff.ts";
import { createFileBudget, type FileBudget } from "./file-budget.ts";
import { fileToModelParts, type Extractors, type FileParts } from "./file-to-model-parts.ts";
import { extractionLimits } from "./limits.ts";
import { createLruCache } from "./lru-cache.ts";
import { createOffice } from "./office/office.ts";
import { pdfPagePictures, type RenderedPages } from "./pdf-reader.ts";
import type { Picture } from "./pictures/picture.ts";
import { createPictures, type Pictures } from "./pictures/pictures.ts";
import type { RequestLimits } from "./request-limits.ts";
import {
  fileIdOf,
  inlineSource,
  isUrl,
  pageIdOf,
  memorySource,
  storedSource,
  type FilePart,
  type FileSource,
} from "./file-source.ts";
import { createOcr } from "./ocr/ocr.ts";
import { createRecognizer } from "./ocr/recognizer.ts";
import { createTexts, type FileText, type Texts } from "./texts.ts";
import { isSafeForProvider } from "../fetch/hosts.ts";

/** Prepares a conversation's files for a model. */
export type Extraction = {
  /**
   * Replaces each file of the conversation by what the model accepts: the file itself, its text, or a note why it is
   * left out. The newest files come first when the budget does not suffice for all. `unread` lists the files that the
   * person should be told about. Throws the signal's reason and what the database throws; problems of a file become
   * notes.
   */
  resolveFiles(messages: readonly ModelMessage[], options: ExtractionOptions): Promise<ResolvedFiles>;
  texts: Texts;
  /** Recognizes the text of a stored PDF's scanned pages, with the extra. Throws what `Recognizer` throws. */
  recognize(file: StoredFile, workspaceId: string, signal: AbortSignal): Promise<FileText | undefined>;
  close(): Promise<void>;
};

type ExtractionOptions = {
  workspaceId: string;
  /** Of the stored files, only these are read. Default: all of the workspace. */
  onlyFiles?: ReadonlySet<string>;
  facts: ModelFacts;
  requestLimits: RequestLimits;
  signal: AbortSignal;
};

type ResolvedFiles = { messages: ModelMessage[]; unread: UnreadFile[] };

export function createExtraction(options: {
  db: Database;
  clock: SteadyClock;
  logger: Pick<Logger, "info" | "warn" | "error">;
  files: { contents: Contents };
  pdf: Pdf;
  /** Rendered pages of PDFs, which messages may refer to. */
  pages: Pick<PagePictures, "picture">;
  /** Limit for the text of files in one request. The model's context window may set a lower one. */
  charactersMax: number;
  /** May have extras. */
  dataDir: string;
}): Extraction {
  const { db, clock, logger, pdf } = options;
  const { contents } = options.files;
  const office = createOffice({
    logger,
    timeMs: extractionLimits.officeMs,
    unpackedBytesMax: extractionLimits.unpackedBytesMax,
    // One more than is stored, to see whether the text is cut.
    charactersMax: extractionLimits.storedCharactersMax + 1,
  });
  const texts = createTexts({ db, clock, logger, pdf, office });
  const ocr = createOcr({ logger, dataDir: options.dataDir });
  const recognizer = createRecognizer({ texts, ocr, clock });
  const pictures = createPictures({ logger, timeMs: extractionLimits.pictureMs });
  const pictureCache = createLruCache<Picture>(
    extractionLimits.cacheBytesMax / 2,
    ({ bytes }) => bytes.length + 100,
  );
  const pagesCache = createLruCache<RenderedPages>(extractionLimits.cacheBytesMax / 2, ({ pages }) =>
    pages.reduce((sum, { picture }) => sum + picture.bytes.length, 100),
  );
  const failures = createFailureBackoff(clock);
  // One picture per workspace at a time, so that no workspace fills the queue that all share.
  const lockWorkspace = createKeyedMutex();

  function extractorsFor(workspaceId: string, signal: AbortSignal): Extractors {
    const fairPictures: Pictures = {
      ...pictures,
      prepare: async (...task) =>
        await lockWorkspace(workspaceId, async () => await pictures.prepare(...task), signal),
    };
    const bytesOf = async (source: FileSource) => {
      if (source.sizeBytes > extractionLimits.openedBytesMax) throw new ExtractionError("too-large");
      return await source.bytes(extractionLimits.openedBytesMax, signal);
    };
    const own: Extractors = {
      text: async (source) => await texts.extract(source, signal),
      recognized: async (source) => await recognizer.recognize(source, own, signal),
      bytes: bytesOf,
      async picture(source) {
        const key = `picture ${source.cacheKey}`;
        const create = async () =>
          await fairPictures.prepare(await bytesOf(source), extractionLimits.pictureEdgePixels, signal);
        return await pictureCache.getOrCreate(key, async () => await failures.run(key, create), signal);
      },
      async pages(source) {
        const key = `pages ${source.cacheKey}`;
        const create = async () => await pdfPagePictures(pdf, fairPictures, await bytesOf(source), signal);
        return await pagesCache.getOrCreate(key, async () => await failures.run(key, create), signal);
      },
    };
    return own;
  }

  async function resolveFile({ part, at }: FileOfMessage, request: Request): Promise<FileParts> {
    const inputs = inputsFor(at, request);
    let source: FileSource | undefined;
    try {
      if (!request.budget.take({ files: 1 })) throw new ExtractionError("no-room");
      source = await sourceOf(part, request);
      if (source === undefined) return remotePicture(part, inputs, request);
      const { name, sha256 } = source;
      const earlierAt = request.seen.get(sha256);
      if (earlierAt !== undefined) {
        const words = `the same file is given ${earlierAt === at ? "above" : "further below"}`;
        return { parts: [{ type: "text", text: fileLabel("File", name, words) }] };
      }
      const parts = await fileToModelParts({
        source,
        inputs,
        budget: request.budget,
        extract: request.extractors,
      });
      request.seen.set(sha256, at);
      return parts;
    } catch (error) {
      request.signal.throwIfAborted();
      const reason = reasonOf(error);
      if (reason === "model" && inputs.length < request.inputs.length)
        return unreadFile(part, source, "refused");
      if (reason === undefined) {
        if (source === undefined || error instanceof StorageBusyError) throw error;
        logger.error({ err: error, sha256: source.sha256 }, "a file could not be extracted");
      }
      return unreadFile(part, source, reason ?? "away");
    }
  }

  /** `undefined`: the part is a remote URL. Throws `ExtractionError`. */
  async function sourceOf(
    part: FilePart,
    { workspaceId, stored, signal }: Request,
  ): Promise<FileSource | undefined> {
    const partName = part.filename ?? "";
    const pageId = pageIdOf(part);
    if (pageId !== undefined) {
      const page = await options.pages.picture(pageId, signal);
      if (page === undefined) throw new ExtractionError("gone");
      return memorySource(partName, page, workspaceId);
    }
    const id = fileIdOf(part);
    if (id !== undefined) {
      const file = stored.get(id);
      if (file === undefined) throw new ExtractionError("gone");
      const source = storedSource(contents, file);
      return { ...source, name: source.name || partName };
    }
    if (isUrl(part)) return undefined;
    const source = await inlineSource(part, workspaceId);
    if (source === undefined) throw new ExtractionError("damaged");
    return source;
  }

  /** Whether its text would have been looked for, had an administrator added what that needs. */
  async function lacksExtra({ mediaType }: FilePart, reason: UnreadReason): Promise<boolean> {
    const isScan = reason === "no-text" || reason === "scanned";
    return (
      (isScan || (reason === "model" && mediaType.startsWith("image/"))) && (await recognizer.isMissing())
    );
  }

  return {
    texts,
    recognize: async (file, workspaceId, signal) =>
      await recognizer.recognize(storedSource(contents, file), extractorsFor(workspaceId, signal), signal),

    async resolveFiles(messages, { workspaceId, onlyFiles, facts, requestLimits, signal }) {
      const lastAt = messages.findLastIndex(({ role }) => role === "user");
      const files = filesOf(messages);
      if (files.length === 0) return { messages: [...messages], unread: [] };
      const ids = files
        .flatMap(({ part }) => fileIdOf(part) ?? [])
        .filter((id) => onlyFiles === undefined || onlyFiles.has(id));
      const request: Request = {
        workspaceId,
        inputs: facts.reads,
        requestLimits,
        lastAt,
        stored: await contents.find(workspaceId, ids),
        budget: createFileBudget(facts, options.charactersMax, requestLimits),
        extractors: extractorsFor(workspaceId, signal),
        seen: new Map(),
        signal,
      };
      const resolved = new Map<ModelUserPart, ModelUserPart[]>();
      const unread: UnreadFile[] = [];
      for (const file of files) {
        const { parts, reason } = await resolveFile(file, request);
        const id = fileIdOf(file.part);
        resolved.set(
          file.part,
          id === undefined ? parts : parts.map((part) => ({ ...part, file: { id, ...part.file } })),
        );
        // Older files were reported when they were sent, except that they no longer fit.
        if (reason !== undefined && (file.at === lastAt || reason === "no-room"))
          unread.push({
            name: nameOf(file.part, request.stored),
            reason,
            ...((await lacksExtra(file.part, reason)) ? { extra: "ocr" } : {}),
          });
      }
      return {
        messages: messages.map((message) =>
          message.role === "user"
            ? { ...message, parts: message.parts.flatMap((part) => resolved.get(part) ?? [part]) }
            : message,
        ),
        unread,
      };
    },
    async close() {
      ocr.close();
      pictures.close();
      await office.close();
    },
  };
}

type Request = {
  workspaceId: string;
  inputs: ModelFacts["reads"];
  requestLimits: RequestLimits;
  /** The index of the last user message. */
  lastAt: number;
  stored: Map<string, StoredFile>;
  budget: FileBudget;
  extractors: Extractors;
  /** The hashes of the files that are already included, each with the index of its message. */
  seen: Map<string, number>;
  signal: AbortSignal;
};

/** `at` is the index of the message. */
type FileOfMessage = { part: FilePart; at: number };

/** The files of a conversation, those of its last message first. */
function filesOf(messages: readonly ModelMessage[]): FileOfMessage[] {
  return messages
    .flatMap((message, at) =>
      message.role === "user"
        ? [message.parts.flatMap((part) => (part.type === "file" ? [{ part, at }] : []))]
        : [],
    )
    .toReversed()
    .flat();
}

/** A picture at a remote URL, which the provider fetches. Other files are not passed on by their URL. */
function remotePicture(part: FilePart, inputs: ModelFacts["reads"], request: Request): FileParts {
  const isPicture = part.mediaType.startsWith("image/");
  if (isPicture && !inputs.includes("image")) throw new ExtractionError("model");
  if (!isPicture || request.requestLimits.omitsRemoteUrls || !isSafeForProvider(part.data))
    throw new ExtractionError("elsewhere");
  if (!request.budget.take({ pictures: 1 })) throw new ExtractionError("no-room");
  return { parts: [part] };
}

function inputsFor(at: number, { inputs, requestLimits, lastAt }: Request): ModelInput[] {
  return inputs.filter((input) => {
    const omitted = requestLimits.omittedInputs.get(input);
    return omitted !== "all" && !(omitted === "last" && at === lastAt);
  });
}

function unreadFile(part: FilePart, source: FileSource | undefined, reason: UnreadReason): FileParts {
  return {
    reason,
    parts: [
      {
        type: "unread-file",
        name: source?.name ?? part.filename ?? "",
        mediaType: source?.type ?? part.mediaType,
        ...(source === undefined ? {} : { sizeBytes: source.sizeBytes }),
        reason,
      },
    ],
  };
}

function nameOf(part: FilePart, stored: Map<string, StoredFile>): string {
  return stored.get(fileIdOf(part) ?? "")?.name ?? part.filename ?? "";
}

/** `undefined`: the error is not about the file. */
function reasonOf(error: unknown): UnreadReason | undefined {
  if (error instanceof ExtractionError) return error.reason;
  if (error instanceof BlobMissingError) return "gone";
  return error instanceof BlobsUnreachableError ? "away" : undefined;
}
