import { open } from "node:fs/promises";

/**
 * Puts on the disk what SQLite has committed to its write-ahead log. SQLite itself would do so inside the commit and
 * stop the whole thread for as long as the disk takes; this waits beside the thread, and one wait serves every commit
 * that happened meanwhile.
 */
export type WriteAheadLog = {
  /**
   * Call it right after a commit. When everything committed until then is on the disk, `then` is called, in the order
   * of the calls, and the promise resolves. Rejects where the disk failed: what was committed since is in doubt, and
   * every later call rejects too, for a disk that failed once may say "done" of what it dropped.
   */
  kept(then: () => void): Promise<void>;
  /** Resolves when nothing that was committed is still on its way to the disk; `undefined` where that is so now. */
  settled(): Promise<void> | undefined;
  /** Throws where the disk failed. */
  assertSound(): void;
  close(): Promise<void>;
};

/** Puts what was written to a file on the disk. */
export type SyncedFile = { datasync(): Promise<void>; close(): Promise<void> };

/** Commits that one wait serves. */
type Batch = { deeds: (() => void)[]; done: PromiseWithResolvers<void> };

/** `path` is the log of a database that is open and stays so until this is closed. */
export async function openWriteAheadLog(
  path: string,
  translate: (error: unknown) => unknown,
  openFile: (path: string) => Promise<SyncedFile> = async (file) => await open(file, "r+"),
): Promise<WriteAheadLog> {
  const file = await openFile(path);
  let gathering: Batch | undefined;
  let syncing: Batch | undefined;
  let failure: { error: unknown } | undefined;

  async function sync(): Promise<void> {
    for (let batch = gathering; batch !== undefined; batch = gathering) {
      gathering = undefined;
      syncing = batch;
      try {
        if (failure === undefined) await file.datasync();
      } catch (error) {
        failure = { error: translate(error) };
      }
      if (failure === undefined) {
        for (const deed of batch.deeds) deed();
        batch.done.resolve();
      } else batch.done.reject(failure.error);
    }
    syncing = undefined;
  }

  const settled = () => (gathering ?? syncing)?.done.promise.catch(() => {});

  return {
    settled,
    async kept(then) {
      const batch = (gathering ??= { deeds: [], done: Promise.withResolvers() });
      batch.deeds.push(then);
      if (syncing === undefined) void sync();
      await batch.done.promise;
    },
    assertSound() {
      if (failure === undefined) return;
      const remedy = "The disk failed to keep what was written. See to it, then start the server again.";
      throw new Error(remedy, { cause: failure.error });
    },
    async close() {
      await settled();
      await file.close();
    },
  };
}
