import { limits } from "#contract/limits.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import type { Clock } from "../lib/clock.ts";
import { canonical, filesNamedIn, withSignatures, type Addresses } from "./serving/addresses.ts";
import { announceFiles } from "./announce-files.ts";
import * as rows from "./claim-rows.ts";

/** Files in what people and models say. A file stays for as long as a message speaks of it. */
export type Mentions = {
  /** A text as it is to be kept: where reads are signed, without signatures that are over soon. */
  kept(text: string): string;
  /**
   * How texts of these messages are to be read: where reads are signed, with signatures that begin now, behind the
   * addresses of those files alone that one of the messages has claimed. Who only knows another's address gets none.
   */
  shown(from: Pick<Tx, "engine" | "q">, messages: readonly Spoken[]): Promise<ShownText>;
  /** In the transaction in which a message, or one to be, is stored that was not there before. */
  claim(tx: Tx, place: MentionPlace, text: string): Promise<void>;
  /** The same for several of one thread. */
  claimAll(tx: Tx, place: Omit<MentionPlace, "messageId">, texts: Mentioning[]): Promise<void>;
  /** The same for one that says something else from now on. */
  claimAnew(tx: Tx, place: MentionPlace, text: string): Promise<void>;
};

export type Spoken = { id: string; content: string };

export type ShownText = (text: string) => string;

export type Mentioning = { messageId: string; text: string };

export type MentionPlace = { workspaceId: string; threadId: string; messageId: string; nowMs: number };

/** Signatures of one stretch of time are the same, so that a page that is read again has not changed. */
const signedEveryMs = 5 * 60_000;

export function createMentions(options: {
  live: Live;
  clock: Clock;
  addresses: Addresses;
  /** Whether every read of a file is to be signed. */
  signed: boolean;
}): Mentions {
  const { live, clock, addresses, signed } = options;

  /** Answers the files that are spoken of. */
  async function claim(
    tx: Tx,
    { workspaceId, threadId, nowMs }: Omit<MentionPlace, "messageId">,
    texts: Mentioning[],
  ): Promise<string[]> {
    const named = texts.flatMap(({ messageId, text }) =>
      filesNamedIn(text).map((file) => ({ ...file, messageId })),
    );
    if (named.length === 0) return [];
    const held = await rows.holdFiles(tx, workspaceId, [...new Set(named.map(({ id }) => id))]);
    const secrets = new Map(held.map((file) => [file.id, file.secret]));
    // Who knows the id alone, and not the address, keeps nothing alive by it.
    const known = named.filter(
      ({ id, secret }) => secrets.has(id) && (secret === "" || secret === secrets.get(id)),
    );
    const claims = new Map(
      known.map(({ id, messageId }) => [
        `${id} ${messageId}`,
        { file_id: id, message_id: messageId, thread_id: threadId },
      ]),
    );
    if (claims.size > 0) await rows.insertClaims(tx, [...claims.values()], nowMs);
    const knownIds = new Set(known.map(({ id }) => id));
    await announceFiles(
      live,
      tx,
      held.filter(({ id }) => knownIds.has(id)),
    );
    return [...knownIds];
  }

  return {
    kept: (text) => (signed ? canonical(text) : text),

    async shown(from, messages) {
      const speaking = signed ? messages.filter(({ content }) => content.includes("/file_0")) : [];
      if (speaking.length === 0) return (text) => text;
      const own = await rows.claimedBy(
        from,
        speaking.map(({ id }) => id),
      );
      const now = clock.now();
      const expires = now - (now % signedEveryMs) + limits.fileLinkMs;
      return (text) =>
        withSignatures(text, (id, secret) =>
          own.has(id) ? addresses.signature(id, secret, expires) : undefined,
        );
    },

    claim: async (tx, place, text) => void (await claim(tx, place, [{ messageId: place.messageId, text }])),
    claimAll: async (tx, place, texts) => void (await claim(tx, place, texts)),

    async claimAnew(tx, place, text) {
      const known = await claim(tx, place, [{ messageId: place.messageId, text }]);
      await rows.releaseOthers(tx, place.messageId, known, place.nowMs);
    },
  };
}
