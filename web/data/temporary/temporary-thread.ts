import { CallError } from "../call-error.ts";
import { tabStorage } from "../drafts/device-storage.ts";
import { draftOf, draftOfEdit } from "../drafts/draft.ts";
import { useServices } from "../provider.tsx";
import type { Services } from "../services.ts";
import { branchKey } from "../threads/branch-rows.ts";
import { cachedBranch, cachedThread, putThread } from "../threads/thread-cache.ts";
import { threadKey } from "../threads/thread-list.ts";

/** The temporary thread of this tab, which the server keeps only while a page reports that it shows it. */
export type TemporaryThread = {
  /** The id of the thread. It survives a reload of the tab. */
  id: () => string | undefined;
  /** The page shows this temporary thread. */
  open: (id: string) => void;
  /** The thread is no longer temporary. */
  forget: () => void;
  /** The person left: erases the thread, here and on the server. */
  end: () => void;
  /** Makes the thread an ordinary one. Throws `CallError`. */
  keep: (id: string) => Promise<void>;
};

const key = "parlance.temporary";
/** A minute, as often as browsers run the timers of hidden pages. The server keeps the thread for two after a reload. */
const reportEveryMs = 60_000;

let made: TemporaryThread | undefined;

export function useTemporaryThread(): TemporaryThread {
  const services = useServices();
  return (made ??= createTemporaryThread(services));
}

function createTemporaryThread(services: Services): TemporaryThread {
  const { call } = services;
  let timer: ReturnType<typeof setInterval> | undefined;
  const id = () => tabStorage.get(key);

  async function report(temporary: "open" | "closing"): Promise<void> {
    const threadId = id();
    if (threadId === undefined) return;
    try {
      await call("threads.update", { params: { thread_id: threadId }, body: { temporary } });
    } catch (error) {
      // It was erased, or another tab kept it. Without a connection, the next report counts.
      const isOver = error instanceof CallError && (error.status === 404 || error.status === 400);
      if (isOver && id() === threadId) forget();
    }
  }

  function forget(): void {
    tabStorage.remove(key);
    clearInterval(timer);
    timer = undefined;
  }

  function end(): void {
    const threadId = id();
    forget();
    if (threadId !== undefined) erase(services, threadId);
  }

  addEventListener("pagehide", () => void report("closing"));
  addEventListener("pageshow", ({ persisted }) => void (persisted && report("open")));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void report("open");
  });

  return {
    id,
    forget,
    end,
    open(threadId) {
      if (timer !== undefined && id() === threadId) return;
      if (id() !== threadId) end();
      tabStorage.set(key, threadId);
      timer = setInterval(() => void report("open"), reportEveryMs);
      void report("open");
    },
    async keep(threadId) {
      await call("threads.update", { params: { thread_id: threadId }, body: { temporary: "keep" } });
      forget();
      const thread = cachedThread(services.queries, threadId);
      if (thread !== undefined) putThread(services.queries, { ...thread, temporary_until: null });
    },
  };
}

/** Without a connection, the server erases it when no page has reported for a while. */
function erase({ call, queries, drafts, outbox, uploads }: Services, id: string): void {
  const messageIds = (cachedBranch(queries, id)?.messages ?? []).map((message) => message.id);
  for (const topic of [draftOf(id), ...messageIds.map(draftOfEdit)]) drafts.write(topic, "");
  drafts.flush();
  for (const entry of outbox.all.get()) if (entry.threadId === id) outbox.remove(entry.runId);
  for (const upload of uploads.all.get()) if (upload.topic === draftOf(id)) uploads.remove(upload.id);
  queries.removeQueries({ queryKey: threadKey(id) });
  queries.removeQueries({ queryKey: branchKey(id) });
  void call("threads.remove", { params: { thread_id: id } }).catch(() => {});
}
