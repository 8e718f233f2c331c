import { createStore, del, entries, get, set } from "idb-keyval";
import type { Upload } from "./upload.ts";

/**
 * What outlives a reload: the upload and its bytes, also once the service has them, for it lets go of them after a day.
 * The bytes are absent where an earlier version kept it.
 */
export type KeptFile = Pick<Upload, "id" | "topic" | "name" | "type" | "sizeBytes" | "address"> & {
  /** Whose it is; absent where nobody was known yet. */
  owner?: string;
  addedAtMs: number;
  file?: Blob;
};

/** The files of unsent messages on this device. Nothing here throws: without a place for them they live as long as the page. */
export type KeptFiles = {
  /** In the order in which they were added. */
  read: () => Promise<KeptFile[]>;
  find: (id: string) => Promise<KeptFile | undefined>;
  write: (kept: KeptFile) => Promise<void>;
  remove: (id: string) => Promise<void>;
};

/** 7 days: what somebody has not sent by then is the device's space again. */
const keptMs = 7 * 24 * 3_600_000;

export function createKeptFiles(now: () => number = Date.now): KeptFiles {
  const store = attempted(() => createStore("parlance-uploads", "files"));
  const remove = async (id: string) => {
    if (store !== undefined) await del(id, store).catch(() => {});
  };
  return {
    async read() {
      if (store === undefined) return [];
      const all = (await entries<string, KeptFile>(store).catch(() => [])).map(([, kept]) => kept);
      const fresh = all.filter(({ addedAtMs }) => now() - addedAtMs < keptMs);
      await Promise.all(all.filter((kept) => !fresh.includes(kept)).map(async ({ id }) => await remove(id)));
      return fresh.toSorted((a, b) => a.addedAtMs - b.addedAtMs || (a.id < b.id ? -1 : 1));
    },
    find: async (id) =>
      store === undefined ? undefined : await get<KeptFile>(id, store).catch(() => undefined),
    async write(kept) {
      if (store !== undefined) await set(kept.id, kept, store).catch(() => {});
    },
    remove,
  };
}

function attempted<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
