import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import type { Clock } from "../lib/clock.ts";
import type { Visitor } from "../lib/route.ts";
import {
  withoutSignatures,
  findFileUrls,
  withoutFileSecrets,
  withSignatures,
  type FileUrls,
} from "../lib/file-urls/file-urls.ts";
import { announceFiles } from "./announce-files.ts";
import * as rows from "./file-reference-rows.ts";

export type MessageContent = { id: string; content: string };

export type SignUrls = (text: string) => string;

export type MessageText = { messageId: string; text: string };

/** `userId`: who writes the message; absent for answers. */
export type ReferencingMessage = {
  workspaceId: string;
  threadId: string;
  messageId: string;
  userId?: string;
  nowMs: number;
};

/** Signatures change only every 5 minutes, so that a page is the same when it is read again. */
const signaturePeriodMs = 5 * 60_000;

export type FileReferences = ReturnType<typeof createFileReferences>;

/** Which messages reference which files. A file is kept as long as a message references it. */
export function createFileReferences(options: {
  live: Live;
  clock: Clock;
  urls: FileUrls;
  /** Whether every read of a file must be signed. */
  signed: boolean;
}) {
  const { live, clock, urls, signed } = options;

  /** Returns the ids of the referenced files. */
  async function add(
    tx: Tx,
    { workspaceId, threadId, userId, nowMs }: Omit<ReferencingMessage, "messageId">,
    texts: MessageText[],
  ): Promise<string[]> {
    const found = texts.flatMap(({ messageId, text }) =>
      findFileUrls(text).map((file) => ({ ...file, messageId })),
    );
    if (found.length === 0) return [];
    const files = await rows.lockFilesOfWorkspace(tx, { workspaceId, threadId, userId }, [
      ...new Set(found.map(({ id }) => id)),
    ]);
    const secrets = new Map(files.map((file) => [file.id, file.secret]));
    // A URL with a wrong secret does not reference the file.
    const valid = found.filter(
      ({ id, secret }) => secrets.has(id) && (secret === "" || secret === secrets.get(id)),
    );
    const references = new Map(
      valid.map(({ id, messageId }) => [
        `${id} ${messageId}`,
        { file_id: id, message_id: messageId, thread_id: threadId },
      ]),
    );
    if (references.size > 0) await rows.insertFileReferences(tx, [...references.values()], nowMs);
    const ids = new Set(valid.map(({ id }) => id));
    await announceFiles(
      live,
      tx,
      files.filter(({ id }) => ids.has(id)),
    );
    return [...ids];
  }

  return {
    /** A text as it is stored: with signed reads, without signatures, which expire. */
    forStorage: (text: string): string => (signed ? withoutSignatures(text) : text),

    /**
     * A function that prepares texts of these messages for readers. With signed reads, it adds fresh signatures to the
     * URLs of files that one of the messages references. Other files' URLs get none, so that a message cannot open them.
     */
    async urlSigner(from: Pick<Tx, "engine" | "q">, messages: readonly MessageContent[]): Promise<SignUrls> {
      const referencing = signed ? messages.filter(({ content }) => content.includes("/file_0")) : [];
      if (referencing.length === 0) return (text) => text;
      const referenced = await rows.filesReferencedBy(
        from,
        referencing.map(({ id }) => id),
      );
      const now = clock.now();
      const expires = now - (now % signaturePeriodMs) + limits.fileLinkMs;
      return (text) =>
        withSignatures(text, (id, secret) =>
          referenced.has(id) ? urls.signature(id, secret, expires) : undefined,
        );
    },

    /** The ids of the files that a message references. */
    filesOf: async (from: Pick<Database, "engine" | "read">, messageId: string): Promise<Set<string>> =>
      await rows.filesReferencedBy({ engine: from.engine, q: from.read }, [messageId]),

    /** Call it in the transaction that stores a new message. */
    add: async (tx: Tx, message: ReferencingMessage, text: string): Promise<void> =>
      void (await add(tx, message, [{ messageId: message.messageId, text }])),
    /** Like `add`, for several messages of one thread. */
    addAll: async (
      tx: Tx,
      message: Omit<ReferencingMessage, "messageId">,
      texts: MessageText[],
    ): Promise<void> => void (await add(tx, message, texts)),

    /** Call it in the transaction that changes a message. */
    async replace(tx: Tx, message: ReferencingMessage, text: string): Promise<void> {
      const ids = await add(tx, message, [{ messageId: message.messageId, text }]);
      await rows.deleteOtherFileReferences(tx, message.messageId, ids, message.nowMs);
    },
  };
}

/**
 * For a member of the thread: replaces the addresses of files, which anybody can open for good, by those that need the
 * member's session. `undefined` for the owner.
 */
export function memberUrls({ memberAccess }: Visitor): SignUrls | undefined {
  if (memberAccess === undefined) return undefined;
  return withoutFileSecrets;
}
