import { createStore, del, entries, get, set } from "idb-keyval";
import type { Upload } from "./upload.ts";

/**
 * An upload and its bytes. The bytes are kept after the upload, because the server deletes files without a message
 * after a day. They are absent in entries of earlier versions.
 */
export type StoredUpload = Pick<Upload, "id" | "topic" | "name" | "type" | "sizeBytes" | "address"> & {
  /** The user's id; absent if it was added before the user was identified. */
  owner?: string;
  addedAtMs: number;
  file?: Blob;
};

/** The files of unsent messages on this device. Never throws; if the device cannot store them, they last until the page is closed. */
export type UploadStore = {
  /** In the order in which they were added. */
  read: () => Promise<StoredUpload[]>;
  find: (id: string) => Promise<StoredUpload | undefined>;
  write: (upload: StoredUpload) => Promise<void>;
  remove: (id: string) => Promise<void>;
};

/** 7 days: then an unsent file is deleted to free the device's storage. */
const maxAgeMs = 7 * 24 * 3_600_000;

export function createUploadStore(now: () => number = Date.now): UploadStore {
  const store = attempt(() => createStore("parlance-uploads", "files"));
  const remove = async (id: string) => {
    if (store !== undefined) await del(id, store).catch(() => {});
  };
  return {
    async read() {
      if (store === undefined) return [];
      const all = (await entries<string, StoredUpload>(store).catch(() => [])).map(([, upload]) => upload);
      const fresh = all.filter(({ addedAtMs }) => now() - addedAtMs < maxAgeMs);
      await Promise.all(
        all.filter((upload) => !fresh.includes(upload)).map(async ({ id }) => await remove(id)),
      );
      return fresh.toSorted((a, b) => a.addedAtMs - b.addedAtMs || (a.id < b.id ? -1 : 1));
    },
    find: async (id) =>
      store === undefined ? undefined : await get<StoredUpload>(id, store).catch(() => undefined),
    async write(upload) {
      if (store !== undefined) await set(upload.id, upload, store).catch(() => {});
    },
    remove,
  };
}

function attempt<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
