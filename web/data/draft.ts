import type { SafeStorage } from "./safe-storage.ts";

/**
 * What is being written and was not sent, one per thread and one for the new chat, on this device. Writing to the
 * device waits for a pause in the typing; `flush` does not.
 */
export type Drafts = {
  read: (threadId: string | undefined) => string;
  write: (threadId: string | undefined, text: string) => void;
  flush: () => void;
};

/** 300 ms: between two words; a page that goes away flushes what is left. */
const pauseMs = 300;

export function createDrafts(storage: SafeStorage): Drafts {
  const unwritten = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [key, text] of unwritten) {
      if (text === "") storage.remove(key);
      else storage.set(key, text);
    }
    unwritten.clear();
  }

  return {
    read: (threadId) => unwritten.get(keyOf(threadId)) ?? storage.get(keyOf(threadId)) ?? "",
    write(threadId, text) {
      unwritten.set(keyOf(threadId), text);
      timer ??= setTimeout(flush, pauseMs);
    },
    flush,
  };
}

function keyOf(threadId: string | undefined): string {
  return `parlance.draft.${threadId ?? "new"}`;
}
