import { createStore, del, entries, get, set } from "idb-keyval";
import { nameHere } from "#web/lib/base-path.ts";
import { unlessThrown } from "#web/lib/unless-thrown.ts";
import { isTemporaryTopic } from "../../drafts/temporary-storage.ts";
import type { SafeStorage } from "../../drafts/safe-storage.ts";
import type { Upload } from "./upload.ts";

/**
 * An upload and its bytes. The bytes are kept after the upload, because the server deletes files without a message
 * after a day. A file that the server had before, or of a temporary thread, has none here.
 */
export type StoredUpload = Pick<
  Upload,
  "id" | "topic" | "name" | "type" | "sizeBytes" | "addedAtMs" | "address"
> & {
  /** The user's id; absent if it was added before the user was identified. */
  owner?: string;
  file?: Blob;
};

/**
 * The files of unsent messages on this device. Those of a temporary thread are in its tab. Never throws; if the device
 * cannot store them, they last until the page is closed.
 */
export type UploadStore = {
  /** In the order in which they were added. */
  read: () => Promise<StoredUpload[]>;
  find: (id: string) => Promise<StoredUpload | undefined>;
  write: (upload: StoredUpload) => Promise<void>;
  remove: (id: string) => Promise<void>;
};

/** 7 days: then an unsent file is deleted to free the device's storage. */
const maxAgeMs = 7 * 24 * 3_600_000;

/** In the storage of the tab: an uploaded file of a temporary thread, without its bytes. */
const tabPrefix = "parlance.upload.";

export function createUploadStore(tab: SafeStorage, now: () => number = Date.now): UploadStore {
  const store = unlessThrown(() => createStore(nameHere("parlance-uploads"), "files"));
  const removeFromDevice = async (id: string) => {
    if (store !== undefined) await del(id, store).catch(() => {});
  };
  const remove = async (id: string) => {
    tab.remove(tabPrefix + id);
    await removeFromDevice(id);
  };
  const ofTab = () =>
    tab
      .keys(tabPrefix)
      .flatMap((key) => unlessThrown(() => JSON.parse(tab.get(key) ?? "") as StoredUpload) ?? []);
  return {
    async read() {
      if (store === undefined) return ofTab();
      const stored = await entries<string, StoredUpload>(store).catch(() => []);
      const all = [...stored.map(([, upload]) => upload), ...ofTab()];
      const fresh = all.filter(({ addedAtMs }) => now() - addedAtMs < maxAgeMs);
      await Promise.all(
        all.filter((upload) => !fresh.includes(upload)).map(async ({ id }) => await remove(id)),
      );
      return fresh.toSorted(compareUploads);
    },
    find: async (id) =>
      store === undefined ? undefined : await get<StoredUpload>(id, store).catch(() => undefined),
    async write(upload) {
      if (isTemporaryTopic(upload.topic)) {
        const { file: _, ...uploaded } = upload;
        // Before anything is awaited: meanwhile the file may be sent or removed.
        if (upload.address === undefined) tab.remove(tabPrefix + upload.id);
        else tab.set(tabPrefix + upload.id, JSON.stringify(uploaded));
        return await removeFromDevice(upload.id);
      }
      tab.remove(tabPrefix + upload.id);
      if (store !== undefined) await set(upload.id, upload, store).catch(() => {});
    },
    remove,
  };
}

/** Compares two files by the order in which they were added. */
export function compareUploads(a: StoredUpload, b: StoredUpload): number {
  return a.addedAtMs - b.addedAtMs || (a.id < b.id ? -1 : 1);
}
