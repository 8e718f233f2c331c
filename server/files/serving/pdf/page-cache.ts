import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { undefinedIfMissing, type Blobs } from "#storage/blobs/blobs.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { PictureFormat } from "#server/pdf/pdf.ts";
import type { PageName } from "./page-urls.ts";

/** What is stored of a page beside its picture. */
export type RenderedPage = { text: string; width: number; height: number };

/** Increase it when pages are rendered differently: pages of older versions are rendered again. */
const renderingVersion = 1;
const maxAgeMs = 24 * 3_600_000;
export const pageFolder = "pages/";

const formats: readonly PictureFormat[] = ["png", "webp"];

/** The document: a stored file, or bytes in a request of a workspace. */
export type RenderedDocument = { blobKey: string } | { workspaceId: string; bytes: Uint8Array };

/**
 * The rendered pages of documents. The same document of a workspace is rendered once a day. Workspaces do not share
 * pages, so that response times do not reveal what another workspace has. Pages of stored files are found by the blob's
 * key and are removed with it. Pages of sent bytes begin with a prefix of their workspace and are removed with the
 * workspace.
 */
export type PageCache = ReturnType<typeof createPageCache>;

export function createPageCache(options: {
  blobs: Blobs;
  clock: Clock;
  /** For all pages together. The oldest are removed first. */
  bytesMax: number;
  isRemovalScheduled: (key: string) => Promise<boolean>;
  /** How long the URL of a page is valid. Pages that `find` returns stay at least as long. */
  linkMs: number;
}) {
  const { blobs, clock, bytesMax, linkMs } = options;

  return {
    idOf(document: RenderedDocument, format: PictureFormat): string {
      if ("blobKey" in document) return idOfParts(["file", document.blobKey, format]);
      const content = createHash("sha256").update(document.bytes).digest("hex");
      return workspacePrefix(document.workspaceId) + idOfParts([content, format]).slice(prefixLength);
    },

    /** All pages of a document; `undefined`: it was not rendered, or too long ago. */
    async find(renderingId: string, format: PictureFormat): Promise<RenderedPage[] | undefined> {
      try {
        const { drawnAtMs, pages } = JSON.parse(
          await textOf(await blobs.read(listKey(renderingId))),
        ) as PageList;
        if (drawnAtMs + maxAgeMs - linkMs <= clock.now()) return undefined;
        // The pages may have been removed while the list was written.
        const last = pictureKey({ renderingId, number: pages.length, format });
        return pages.length > 0 && (await blobs.size(last)) === undefined ? undefined : pages;
      } catch (error) {
        return undefinedIfMissing(error);
      }
    },

    /** Concurrent servers write the same bytes under the same key. */
    async savePicture(page: PageName, picture: Uint8Array, signal: AbortSignal): Promise<void> {
      await blobs.put(pictureKey(page), one(picture), { sizeBytes: picture.length, signal });
    },

    /** Call it when all pictures are saved. */
    async savePageList(renderingId: string, pages: RenderedPage[]): Promise<void> {
      const text = Buffer.from(JSON.stringify({ drawnAtMs: clock.now(), pages } satisfies PageList));
      await blobs.put(listKey(renderingId), one(text), { sizeBytes: text.length });
    },

    sizeOf: async (page: PageName): Promise<number | undefined> => await blobs.size(pictureKey(page)),

    read: async (
      page: PageName,
      range: { start: number; end: number },
      signal: AbortSignal,
    ): Promise<Readable> => await blobs.read(pictureKey(page), { range, signal }),

    /** Whether its file was deleted or its workspace erased. */
    isGone: async (renderingId: string): Promise<boolean> =>
      (await options.isRemovalScheduled(listKey(renderingId))) ||
      (await options.isRemovalScheduled(prefixKey(renderingId))),

    remove: async (renderingId: string): Promise<void> => await removeRenderings(blobs, listKey(renderingId)),

    /**
     * Removes old documents, and the oldest ones above the size limit. A document's list is removed first, so that
     * `find` returns no half-removed document. Keeps documents that are rendered again meanwhile. Returns the number of
     * removed keys.
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
        if (signal.aborted || (bytes <= bytesMax && document.changedAtMs + maxAgeMs > clock.now())) break;
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

/** The keys of the page lists that may exist for a blob. */
export function pageListKeysOf(blobKey: string): string[] {
  return formats.map((format) => listKey(idOfParts(["file", blobKey, format])));
}

/** The key prefix of all pages of bytes that were sent in a workspace. */
export function workspacePagesKeyOf(workspaceId: string): string {
  return prefixKey(workspacePrefix(workspaceId));
}

/** Removes page lists and their pages, by one of the keys above. */
export async function removeRenderings(blobs: Blobs, key: string): Promise<void> {
  const isList = key.endsWith(listName);
  if (isList) await blobs.remove(key);
  const prefix = isList ? `${key.slice(0, -listName.length)}/` : key;
  for await (const page of blobs.list(prefix)) await blobs.remove(page.key);
}

function idOfParts(parts: string[]): string {
  return createHash("sha256")
    .update(JSON.stringify([renderingVersion, ...parts]))
    .digest("hex")
    .slice(0, 40);
}

type PageList = { drawnAtMs: number; pages: RenderedPage[] };

/** The length of the workspace's prefix in a rendering's id. */
const prefixLength = 12;
const listName = "/pages.json";

function workspacePrefix(workspaceId: string): string {
  return idOfParts(["workspace", workspaceId]).slice(0, prefixLength);
}

function prefixKey(renderingId: string): string {
  return `${pageFolder}${renderingId.slice(0, 2)}/${renderingId.slice(0, prefixLength)}`;
}

function listKey(renderingId: string): string {
  return `${pageFolder}${renderingId.slice(0, 2)}/${renderingId}${listName}`;
}

function pictureKey({ renderingId, number, format }: PageName): string {
  return `${pageFolder}${renderingId.slice(0, 2)}/${renderingId}/page-${number}.${format}`;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function textOf(source: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
