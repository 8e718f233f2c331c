import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { PictureFormat } from "#server/pdf/pdf.ts";
import type { PageName } from "./page-addresses.ts";

/** What is kept of a page beside its picture. */
export type DrawnPage = { text: string; width: number; height: number };

/** Raised when pages come to be drawn in another way: what was drawn before is not taken for it. */
const drawnAs = 1;
/** How long pages are kept: 24 hours after they were drawn. */
const keepMs = 24 * 3_600_000;
/** `pages/…`, beside `kept/…`. */
export const pageFolder = "pages/";

const formats: readonly PictureFormat[] = ["png", "webp"];

/** What is drawn: bytes that the store has for a file, or bytes that somebody of a workspace sent. */
export type Drawn = { blobKey: string } | { workspaceId: string; bytes: Uint8Array };

/**
 * Pages that were drawn, by what they were drawn of: the same document of the same workspace is drawn once a day. A
 * workspace has its own, which begin alike, so that nobody learns by the time it takes what another has sent, and they go
 * with what else was theirs; files have theirs by their bytes in the store, which are one workspace's too, so that their
 * pages go with them.
 */
export type PageCache = ReturnType<typeof createPageCache>;

export function createPageCache(options: {
  blobs: Blobs;
  clock: Clock;
  /** All pages together; the oldest go first. */
  bytesMax: number;
  /** Whether a key is noted to be cleared away. */
  isToGo: (key: string) => Promise<boolean>;
  /** How long an address of a page is good: pages that are found are kept as long at least. */
  linkMs: number;
}) {
  const { blobs, clock, bytesMax, linkMs } = options;

  return {
    idOf(drawn: Drawn, format: PictureFormat): string {
      if ("blobKey" in drawn) return idOfParts(["file", drawn.blobKey, format]);
      const content = createHash("sha256").update(drawn.bytes).digest("hex");
      return markOf(drawn.workspaceId) + idOfParts([content, format]).slice(markLength);
    },

    /** Its pages, all of them; `undefined` where it was not drawn, or too long ago. */
    async find(drawingId: string, format: PictureFormat): Promise<DrawnPage[] | undefined> {
      try {
        const kept = JSON.parse(await textOf(await blobs.read(listKey(drawingId)))) as Kept;
        if (kept.drawnAtMs + keepMs - linkMs <= clock.now()) return undefined;
        // A list that outlived its pages, for they were cleared away while it was written, is none.
        const last = pictureKey({ drawingId, number: kept.pages.length, format });
        return kept.pages.length > 0 && (await blobs.size(last)) === undefined ? undefined : kept.pages;
      } catch (error) {
        if (error instanceof BlobMissingError) return undefined;
        throw error;
      }
    },

    /** The same bytes under the same name, whoever draws them. */
    async keepPicture(page: PageName, picture: Uint8Array, signal: AbortSignal): Promise<void> {
      await blobs.put(pictureKey(page), one(picture), { sizeBytes: picture.length, signal });
    },

    /** Last of all: what is listed is there. */
    async keepList(drawingId: string, pages: DrawnPage[]): Promise<void> {
      const text = Buffer.from(JSON.stringify({ drawnAtMs: clock.now(), pages } satisfies Kept));
      await blobs.put(listKey(drawingId), one(text), { sizeBytes: text.length });
    },

    sizeOf: async (page: PageName): Promise<number | undefined> => await blobs.size(pictureKey(page)),

    read: async (
      page: PageName,
      range: { start: number; end: number },
      signal: AbortSignal,
    ): Promise<Readable> => await blobs.read(pictureKey(page), { range, signal }),

    /** Whether it was drawn of a file that is gone, or in an erased workspace: its pages go next. */
    isGone: async (drawingId: string): Promise<boolean> =>
      (await options.isToGo(listKey(drawingId))) || (await options.isToGo(allKey(drawingId))),

    remove: async (drawingId: string): Promise<void> => await removeDrawings(blobs, listKey(drawingId)),

    /**
     * Takes away documents that are old, and the oldest where there is too much: the list first, so that nobody finds
     * one that is half gone. What was drawn anew meanwhile stays. Answers how many pictures and lists went.
     */
    async sweep(signal: AbortSignal): Promise<number> {
      const documents = new Map<string, { keys: string[]; bytes: number; changedAtMs: number }>();
      for await (const { key, sizeBytes, changedAtMs } of blobs.list(pageFolder)) {
        if (signal.aborted) return 0;
        const folder = key.slice(0, key.lastIndexOf("/"));
        const known = documents.get(folder) ?? { keys: [], bytes: 0, changedAtMs: 0 };
        known.keys.push(key);
        known.bytes += sizeBytes;
        known.changedAtMs = Math.max(known.changedAtMs, changedAtMs);
        documents.set(folder, known);
      }
      const oldestFirst = [...documents].toSorted(
        ([, one], [, other]) => one.changedAtMs - other.changedAtMs,
      );
      let bytes = oldestFirst.reduce((sum, [, document]) => sum + document.bytes, 0);
      let count = 0;
      for (const [folder, document] of oldestFirst) {
        if (signal.aborted || (bytes <= bytesMax && document.changedAtMs + keepMs > clock.now())) break;
        const now = await Array.fromAsync(blobs.list(`${folder}/`));
        if (now.some(({ changedAtMs }) => changedAtMs > document.changedAtMs)) continue;
        await blobs.remove(`${folder}${listName}`);
        for (const key of document.keys) if (!key.endsWith(listName)) await blobs.remove(key);
        bytes -= document.bytes;
        count += document.keys.length;
      }
      return count;
    },
  };
}

/** The keys under which there may be lists of pages that were drawn of a file's bytes. */
export function drawingKeysOf(blobKey: string): string[] {
  return formats.map((format) => listKey(idOfParts(["file", blobKey, format])));
}

/** The key that stands for all that was drawn of what somebody sent to a workspace. */
export function drawingsKeyOf(workspaceId: string): string {
  return allKey(markOf(workspaceId));
}

/** Takes away lists of pages and all their pages, by one of the keys above: those of a document that is half drawn too. */
export async function removeDrawings(blobs: Blobs, key: string): Promise<void> {
  const isList = key.endsWith(listName);
  if (isList) await blobs.remove(key);
  const all = isList ? `${key.slice(0, -listName.length)}/` : key;
  for await (const page of blobs.list(all)) await blobs.remove(page.key);
}

function idOfParts(parts: string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([drawnAs, ...parts]))
    .digest("hex")
    .slice(0, 40);
}

type Kept = { drawnAtMs: number; pages: DrawnPage[] };

/** How many characters of a drawing's name say whose it is. */
const markLength = 12;
const listName = "/pages.json";

function markOf(workspaceId: string): string {
  return idOfParts(["workspace", workspaceId]).slice(0, markLength);
}

function allKey(drawingId: string): string {
  return `${pageFolder}${drawingId.slice(0, 2)}/${drawingId.slice(0, markLength)}`;
}

function listKey(drawingId: string): string {
  return `${pageFolder}${drawingId.slice(0, 2)}/${drawingId}${listName}`;
}

function pictureKey({ drawingId, number, format }: PageName): string {
  return `${pageFolder}${drawingId.slice(0, 2)}/${drawingId}/page-${number}.${format}`;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function textOf(source: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
