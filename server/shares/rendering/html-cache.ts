import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SharedEntry } from "../read-branch.ts";
import type { RenderedHtml } from "./render-thread.ts";
import { deleteOldest, findRendered, listVersions, putRendered } from "./rows.ts";

/** What HTML depends on, besides the message. */
export type HtmlKey = { shareId: string; language: string; build: string };
type Version = Pick<SharedEntry, "id" | "version">;
type FinishedMessage = Pick<SharedEntry, "id" | "version" | "updatedAt"> & RenderedHtml;

/** Characters of HTML in memory, about as many bytes. */
const memoryCharacters = 16 * 1024 * 1024;
/** Larger messages are not kept in memory, so that a few of them do not replace all others. */
const entryCharacters = memoryCharacters / 8;
/** Old rows are deleted whenever this much was stored. */
const bytesBetweenSweeps = limits.shareHtmlBytes / 16;
/** A table of short messages has 100,000 rows. Deleting takes SQLite 10 ms for this many, on the main thread. */
const sweepBatch = 200;
const unpack = promisify(zstdDecompress);

export type HtmlCache = ReturnType<typeof createHtmlCache>;

/**
 * The HTML of rendered messages: of the latest ones in memory, of all finished ones in the database, so that a server that
 * restarts does not render everything again.
 */
export function createHtmlCache({ db, clock, logger }: { db: Database; clock: Clock; logger: Logger }) {
  /** The least recently used first. */
  const inMemory = new Map<string, string>();
  let characters = 0;
  let bytesUntilSweep = 0;
  const storing = new Set<Promise<void>>();

  const nameOf = ({ shareId, language, build }: HtmlKey, { id, version }: Version) =>
    JSON.stringify([shareId, language, build, id, version]);

  function recall(key: HtmlKey, message: Version): string | undefined {
    const name = nameOf(key, message);
    const html = inMemory.get(name);
    if (html === undefined) return undefined;
    inMemory.delete(name);
    inMemory.set(name, html);
    return html;
  }

  function remember(key: HtmlKey, message: Version, html: string): void {
    if (html.length > entryCharacters || recall(key, message) !== undefined) return;
    inMemory.set(nameOf(key, message), html);
    characters += html.length;
    for (const [name, { length }] of inMemory) {
      if (characters <= memoryCharacters) break;
      inMemory.delete(name);
      characters -= length;
    }
  }

  async function storeRows(
    { shareId, language, build }: HtmlKey,
    messages: readonly FinishedMessage[],
  ): Promise<void> {
    await db.write(async (tx) => {
      for (const { id, version, updatedAt, packed } of messages) {
        const row = {
          share_id: shareId,
          message_id: id,
          language,
          build,
          version,
          html: packed,
          size_bytes: packed.byteLength,
          rendered_at: clock.now(),
        };
        await putRendered(tx, row, updatedAt);
      }
    });
    bytesUntilSweep -= messages.reduce((sum, { packed }) => sum + packed.byteLength, 0);
    if (bytesUntilSweep > 0) return;
    bytesUntilSweep = bytesBetweenSweeps;
    const oldest = { bytesMax: limits.shareHtmlBytes, limit: sweepBatch };
    while ((await db.write(async (tx) => await deleteOldest(tx, oldest))) === sweepBatch);
  }

  return {
    recall,
    remember,

    /** The ids of those messages that are stored. */
    async listStored(key: HtmlKey, messages: readonly Version[]): Promise<Set<string>> {
      const versions = new Map(messages.map(({ id, version }) => [id, version]));
      const found = versions.size === 0 ? [] : await listVersions(db, key, [...versions.keys()]);
      return new Set(
        found.flatMap(({ message_id: id, version }) => (version === versions.get(id) ? id : [])),
      );
    },

    /** The HTML of stored messages, by id. */
    async read(key: HtmlKey, messages: readonly Version[]): Promise<Map<string, string>> {
      const versions = new Map(messages.map(({ id, version }) => [id, version]));
      const found = new Map<string, string>();
      for (const row of await findRendered(db, key, [...versions.keys()])) {
        if (row.version !== versions.get(row.message_id)) continue;
        const html = (await unpack(row.html)).toString();
        remember(key, { id: row.message_id, version: row.version }, html);
        found.set(row.message_id, html);
      }
      return found;
    },

    /** Stores rendered messages. A failure is logged: a page can be read while nothing can be stored. */
    store(key: HtmlKey, messages: readonly FinishedMessage[]): void {
      const stored = storeRows(key, messages).catch((error: unknown) =>
        logger.debug({ err: error }, "could not store the rendered messages of a link"),
      );
      storing.add(stored);
      void stored.finally(() => storing.delete(stored));
    },

    /** Waits until everything is stored. */
    async close(): Promise<void> {
      await Promise.all(storing);
    },
  };
}
