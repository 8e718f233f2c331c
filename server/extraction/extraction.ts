import type { ModelInput } from "#contract/models.ts";
import type { UnreadFile, UnreadReason } from "#contract/unread-files.ts";
import { BlobMissingError, BlobsAwayError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { StorageBusyError } from "#storage/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { createKeyedMutex } from "../lib/keyed-mutex.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import type { PagePictures } from "../files/serving/pdf/page-pictures.ts";
import type { Logger } from "../lib/logger.ts";
import type { ModelFacts } from "../models/model.ts";
import { labelWords } from "../parts/file-words.ts";
import type { ModelMessage, ModelUserPart } from "../parts/model-message.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { createAtHand } from "./lru-cache.ts";
import { createFailures } from "./failures.ts";
import { bounds } from "./bounds.ts";
import { mayBeHandedOn } from "./remote-url-policy.ts";
import { give, type Given, type Makers } from "./file-to-model-parts.ts";

import { FaultError } from "./office/fault.ts";
import { createOffice } from "./office/office.ts";
import { pagePictures, type PagePictures as DrawnPages } from "./pdf-reader.ts";
import type { Picture } from "./pictures/picture.ts";
import { createPictures, type Pictures } from "./pictures/pictures.ts";
import { newRoom, type Room } from "./token-budget.ts";
import {
  fileIdOf,
  inlineSource,
  isAddress,
  pageIdOf,
  pageSource,
  storedSource,
  type FilePart,
  type Source,
} from "./source.ts";
import { createTexts, type Texts } from "./texts.ts";
import type { Without } from "./request-limits.ts";

/** What a conversation's files are to a model. */
export type Reading = {
  /**
   * The conversation with each file in the form that the model reads: as it is, as text, or as words that say why it is
   * not given. The newest come first where not all have room. `unread` is what a person should know of it. Throws the
   * signal's reason, and what the database throws; what is wrong with a file is said in its place.
   */
  read(messages: readonly ModelMessage[], options: ReadOptions): Promise<Read>;
  texts: Texts;
  close(): Promise<void>;
};

export type ReadOptions = {
  workspaceId: string;
  facts: ModelFacts;
  /** What the provider refused of it before. */
  without: Without;
  signal: AbortSignal;
};

export type Read = { messages: ModelMessage[]; unread: UnreadFile[] };

export function createReading(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "info" | "warn" | "error">;
  files: { contents: Contents };
  pdf: Pdf;
  /** Pages that were drawn for clients, which messages may name. */
  pages: Pick<PagePictures, "picture">;
  /** How much text of files one request may have, where the model says nothing less. */
  charactersMax: number;
}): Reading {
  const { db, clock, logger, pdf } = options;
  const { contents } = options.files;
  const office = createOffice({
    logger,
    timeMs: bounds.officeMs,
    unpackedBytesMax: bounds.unpackedBytes,
    // One more, so that it is seen that there were more.
    charactersMax: bounds.keptCharacters + 1,
  });
  const texts = createTexts({ db, clock, logger, pdf, office });
  const pictures = createPictures({ logger, timeMs: bounds.pictureMs });
  const prepared = createAtHand<Picture>(bounds.atHandBytes / 2, ({ bytes }) => bytes.length + 100);
  const drawn = createAtHand<DrawnPages>(bounds.atHandBytes / 2, ({ pages }) =>
    pages.reduce((sum, { picture }) => sum + picture.bytes.length, 100),
  );
  const failures = createFailures(clock);

  // One picture per workspace at a time, so that no workspace fills the queue that all share.
  const lockWorkspace = createKeyedMutex();

  function makersOf(workspaceId: string, signal: AbortSignal): Makers {
    const fairPictures: Pictures = {
      ...pictures,
      prepare: async (...task) =>
        await lockWorkspace(workspaceId, async () => await pictures.prepare(...task), signal),
    };
    const opened = async (source: Source) => {
      if (source.sizeBytes > bounds.openedBytes) throw new FaultError("too-large");
      return await source.bytes(bounds.openedBytes, signal);
    };
    return {
      text: async (source) => await texts.of(source, signal),
      bytes: opened,
      async picture(source) {
        const key = `picture ${source.atHandKey}`;
        const make = async () => await fairPictures.prepare(await opened(source), bounds.pictureEdge, signal);
        return await prepared.take(key, async () => await failures.unlessFailed(key, make), signal);
      },
      async pages(source) {
        const key = `pages ${source.atHandKey}`;
        const make = async () => await pagePictures(pdf, fairPictures, await opened(source), signal);
        return await drawn.take(key, async () => await failures.unlessFailed(key, make), signal);
      },
    };
  }

  async function giveOne(
    part: FilePart,
    { at, isLast }: { at: number; isLast: boolean },
    stored: Map<string, StoredFile>,
    asked: Asked,
  ): Promise<Given> {
    const { workspaceId, without, room, make, seen, signal } = asked;
    const reads = asked.reads.filter((input) => !isWithout(without, input, isLast));
    let source: Source | undefined;
    try {
      if (!room.take({ files: 1 })) throw new FaultError("no-room");
      const id = fileIdOf(part);
      const pageId = pageIdOf(part);
      if (pageId !== undefined) {
        const page = await options.pages.picture(pageId, signal);
        if (page === undefined) throw new FaultError("gone");
        source = pageSource(part.filename ?? "", page, workspaceId);
      } else if (id !== undefined) {
        const file = stored.get(id);
        if (file === undefined) throw new FaultError("gone");
        source = storedSource(contents, file);
      } else if (isAddress(part)) return handOn(part, reads, room, without);
      else source = await inlineSource(part, workspaceId);
      if (source === undefined) throw new FaultError("damaged");
      const name = source.name || (part.filename ?? "");
      source = { ...source, name };
      const where = seen.get(source.sha256);
      if (where !== undefined) {
        const words = `the same file is given ${where === at ? "above" : "further below"}`;
        return { parts: [{ type: "text", text: labelWords("File", name, words) }] };
      }
      const given = await give(source, reads, room, make);
      seen.set(source.sha256, at);
      return given;
    } catch (error) {
      signal.throwIfAborted();
      const reason = reasonOf(error);
      if (reason === "model" && reads.length < asked.reads.length) return unread(part, source, "refused");
      if (reason === undefined) {
        if (source === undefined || error instanceof StorageBusyError) throw error;
        logger.error({ err: error, sha256: source.sha256 }, "a file could not be read");
      }
      return unread(part, source, reason ?? "away");
    }
  }

  return {
    texts,

    async read(messages, { workspaceId, facts, without, signal }) {
      const lastAt = messages.findLastIndex(({ role }) => role === "user");
      const files = filesOf(messages);
      if (files.length === 0) return { messages: [...messages], unread: [] };
      const ids = files.flatMap(({ part }) => fileIdOf(part) ?? []);
      const stored = await contents.find(workspaceId, ids);
      const asked: Asked = {
        workspaceId,
        reads: facts.reads,
        without,
        room: newRoom(facts, options.charactersMax, without),
        make: makersOf(workspaceId, signal),
        seen: new Map(),
        signal,
      };
      const given = new Map<ModelUserPart, ModelUserPart[]>();
      const unreadFiles: UnreadFile[] = [];
      for (const { part, at } of files) {
        const { parts, reason } = await giveOne(part, { at, isLast: at === lastAt }, stored, asked);
        given.set(part, parts);
        // Of older ones the same was said when they came, unless it is new that they have no room.
        if (reason !== undefined && (at === lastAt || reason === "no-room"))
          unreadFiles.push({ name: nameOf(part, stored), reason });
      }
      return {
        messages: messages.map((message) =>
          message.role === "user"
            ? { ...message, parts: message.parts.flatMap((part) => given.get(part) ?? [part]) }
            : message,
        ),
        unread: unreadFiles,
      };
    },
    async close() {
      pictures.close();
      await office.close();
    },
  };
}

type Asked = {
  workspaceId: string;
  reads: ModelFacts["reads"];
  without: Without;
  room: Room;
  make: Makers;
  /** What was given already, and in which message. */
  seen: Map<string, number>;
  signal: AbortSignal;
};

/** The files of a conversation, those of its last message first. */
function filesOf(messages: readonly ModelMessage[]): { part: FilePart; at: number }[] {
  return messages
    .flatMap((message, at) =>
      message.role === "user"
        ? [message.parts.flatMap((part) => (part.type === "file" ? [{ part, at }] : []))]
        : [],
    )
    .toReversed()
    .flat();
}

/** A picture at an address elsewhere: whoever runs the model fetches it. Nothing else is given by its address. */
function handOn(part: FilePart, reads: ModelFacts["reads"], room: Room, without: Without): Given {
  const isPicture = part.mediaType.startsWith("image/");
  if (isPicture && !reads.includes("image")) throw new FaultError("model");
  if (!isPicture || without.addresses || !mayBeHandedOn(part.data)) throw new FaultError("elsewhere");
  if (!room.take({ pictures: 1 })) throw new FaultError("no-room");
  return { parts: [part] };
}

function isWithout({ inputs }: Without, input: ModelInput, isLast: boolean): boolean {
  const which = inputs.get(input);
  return which === "all" || (which === "last" && isLast);
}

function unread(part: FilePart, source: Source | undefined, reason: UnreadReason): Given {
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

/** `undefined` for what is a fault of ours. */
function reasonOf(error: unknown): UnreadReason | undefined {
  if (error instanceof FaultError) return error.reason;
  if (error instanceof BlobMissingError) return "gone";
  return error instanceof BlobsAwayError ? "away" : undefined;
}
