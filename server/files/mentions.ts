import { limits } from "#contract/limits.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import type { Clock } from "../lib/clock.ts";
import { withoutSignatures, findFileUrls, withSignatures, type FileUrls } from "./serving/file-urls.ts";
import { announceFiles } from "./announce-files.ts";
import * as rows from "./mention-rows.ts";

/** Which messages mention which files. A file is kept as long as a message mentions it. */
export type Mentions = {
  /** A text as it is stored: with signed reads, without signatures, which expire. */
  forStorage(text: string): string;
  /**
   * A function that prepares texts of these messages for readers. With signed reads, it adds fresh signatures to the
   * URLs of files that one of the messages mentions. Other files' URLs get none, so that a message cannot open them.
   */
  urlSigner(from: Pick<Tx, "engine" | "q">, messages: readonly MessageContent[]): Promise<SignUrls>;
  /** Call it in the transaction that stores a new message. */
  add(tx: Tx, place: MentionPlace, text: string): Promise<void>;
  /** The same for several messages of one thread. */
  addAll(tx: Tx, place: Omit<MentionPlace, "messageId">, texts: MessageText[]): Promise<void>;
  /** Call it in the transaction that changes a message. */
  replace(tx: Tx, place: MentionPlace, text: string): Promise<void>;
};

export type MessageContent = { id: string; content: string };

export type SignUrls = (text: string) => string;

export type MessageText = { messageId: string; text: string };

export type MentionPlace = { workspaceId: string; threadId: string; messageId: string; nowMs: number };

/** Signatures change only every 5 minutes, so that a page is the same when it is read again. */
const signaturePeriodMs = 5 * 60_000;

export function createMentions(options: {
  live: Live;
  clock: Clock;
  urls: FileUrls;
  /** Whether every read of a file must be signed. */
  signed: boolean;
}): Mentions {
  const { live, clock, urls, signed } = options;

  /** Returns the ids of the mentioned files. */
  async function add(
    tx: Tx,
    { workspaceId, threadId, nowMs }: Omit<MentionPlace, "messageId">,
    texts: MessageText[],
  ): Promise<string[]> {
    const found = texts.flatMap(({ messageId, text }) =>
      findFileUrls(text).map((file) => ({ ...file, messageId })),
    );
    if (found.length === 0) return [];
    const files = await rows.lockFilesOfWorkspace(tx, workspaceId, [...new Set(found.map(({ id }) => id))]);
    const secrets = new Map(files.map((file) => [file.id, file.secret]));
    // A URL with a wrong secret keeps no file.
    const valid = found.filter(
      ({ id, secret }) => secrets.has(id) && (secret === "" || secret === secrets.get(id)),
    );
    const mentions = new Map(
      valid.map(({ id, messageId }) => [
        `${id} ${messageId}`,
        { file_id: id, message_id: messageId, thread_id: threadId },
      ]),
    );
    if (mentions.size > 0) await rows.insertMentions(tx, [...mentions.values()], nowMs);
    const ids = new Set(valid.map(({ id }) => id));
    await announceFiles(
      live,
      tx,
      files.filter(({ id }) => ids.has(id)),
    );
    return [...ids];
  }

  return {
    forStorage: (text) => (signed ? withoutSignatures(text) : text),

    async urlSigner(from, messages) {
      const mentioning = signed ? messages.filter(({ content }) => content.includes("/file_0")) : [];
      if (mentioning.length === 0) return (text) => text;
      const mentioned = await rows.filesMentionedBy(
        from,
        mentioning.map(({ id }) => id),
      );
      const now = clock.now();
      const expires = now - (now % signaturePeriodMs) + limits.fileLinkMs;
      return (text) =>
        withSignatures(text, (id, secret) =>
          mentioned.has(id) ? urls.signature(id, secret, expires) : undefined,
        );
    },

    add: async (tx, place, text) => void (await add(tx, place, [{ messageId: place.messageId, text }])),
    addAll: async (tx, place, texts) => void (await add(tx, place, texts)),

    async replace(tx, place, text) {
      const ids = await add(tx, place, [{ messageId: place.messageId, text }]);
      await rows.deleteOtherMentions(tx, place.messageId, ids, place.nowMs);
    },
  };
}
