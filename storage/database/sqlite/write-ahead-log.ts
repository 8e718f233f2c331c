import { open } from "node:fs/promises";

/** An open file that can be synced to the disk. */
export type SyncedFile = { datasync(): Promise<void>; close(): Promise<void> };

/** Commits that share one sync. */
type Batch = { callbacks: (() => void)[]; done: PromiseWithResolvers<void> };

/**
 * Syncs what SQLite has committed to its write-ahead log. SQLite itself would sync inside the commit and block the thread
 * for as long as the disk takes. This syncs asynchronously, and one sync serves all commits that came meanwhile.
 */
export type WriteAheadLog = Awaited<ReturnType<typeof openWriteAheadLog>>;

/** `path` is the log of a database that is open and stays open until this is closed. */
export async function openWriteAheadLog(
  path: string,
  translate: (error: unknown) => unknown,
  openFile: (path: string) => Promise<SyncedFile> = async (file) => await open(file, "r+"),
) {
  const file = await openFile(path);
  let next: Batch | undefined;
  let syncing: Batch | undefined;
  let failure: { error: unknown } | undefined;

  async function sync(): Promise<void> {
    for (let batch = next; batch !== undefined; batch = next) {
      next = undefined;
      syncing = batch;
      try {
        if (failure === undefined) await file.datasync();
      } catch (error) {
        failure = { error: translate(error) };
      }
      if (failure === undefined) {
        for (const callback of batch.callbacks) callback();
        batch.done.resolve();
      } else batch.done.reject(failure.error);
    }
    syncing = undefined;
  }

  const pendingSyncs = () => (next ?? syncing)?.done.promise.catch(() => {});

  return {
    /** Resolves when the pending syncs have ended; undefined if there are none. */
    pendingSyncs,
    /**
     * Call it right after a commit. When everything committed until then is on the disk, it calls `onSynced`, in the order
     * of the calls, and resolves. Rejects if a sync failed, and then every later call rejects too: what was committed is in
     * doubt, and a disk that failed once may report success for data that it dropped.
     */
    async synced(onSynced: () => void): Promise<void> {
      const batch = (next ??= { callbacks: [], done: Promise.withResolvers() });
      batch.callbacks.push(onSynced);
      if (syncing === undefined) void sync();
      await batch.done.promise;
    },
    /** Throws if a sync has failed. */
    assertHealthy(): void {
      if (failure === undefined) return;
      throw new Error("The disk failed to store a commit. Check the disk, then start the server again.", {
        cause: failure.error,
      });
    },
    async close(): Promise<void> {
      await pendingSyncs();
      await file.close();
    },
  };
}
