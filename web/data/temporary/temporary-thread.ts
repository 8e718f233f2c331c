import { CallError } from "../call-error.ts";
import { deviceStorage, tabStorage } from "../drafts/device-storage.ts";
import { draftOf, draftOfEdit, draftsInThread } from "../drafts/draft.ts";
import { forgetPanel } from "../drafts/panel-storage.ts";
import { temporaryDraft, temporaryKey } from "../drafts/temporary-storage.ts";
import { useServices } from "../provider.tsx";
import { browserServices, type Services } from "../services.ts";
import { branchKey } from "../threads/branch-rows.ts";
import { cachedBranch, cachedThread, putThread } from "../threads/thread-cache.ts";
import { threadKey } from "../threads/thread-list.ts";

/** The temporary thread of this tab, which the server keeps only while a page reports that it shows it. */
export type TemporaryThread = {
  /** The id of the thread. It survives a reload of the tab. */
  id: () => string | undefined;
  /** The page shows this temporary thread. */
  open: (id: string) => void;
  /** Another tab has kept the thread: it is no longer temporary. */
  kept: () => void;
  /** The person left: erases the thread, here and on the server, unless another tab shows it. */
  end: () => void;
  /** The person left a new temporary chat: removes what was not sent. */
  endNew: () => void;
  /** Makes the thread an ordinary one. Throws `CallError`. */
  keep: (id: string) => Promise<void>;
  /** Whether the message that makes this thread a temporary one is still being sent. */
  isBeingSent: (id: string) => boolean;
};

const key = temporaryKey;
/** For each temporary thread with something on this device: the ids of its messages, whose edits have drafts. */
const marksPrefix = `${key}.`;
/** A minute, as often as browsers run the timers of hidden pages. The server keeps the thread for two after a reload. */
const reportEveryMs = 60_000;

let made: TemporaryThread | undefined;

export function useTemporaryThread(): TemporaryThread {
  const services = useServices();
  return (made ??= createTemporaryThread(services));
}

/** Goes on reporting after a reload, and removes from this device what is left of temporary threads that are gone. */
export function resume(): void {
  made ??= createTemporaryThread(browserServices());
}

function createTemporaryThread(services: Services): TemporaryThread {
  const { call, outbox } = services;
  let timer: ReturnType<typeof setInterval> | undefined;
  let release: (() => void) | undefined;
  let keptId: string | undefined;
  const id = () => tabStorage.get(key);

  const isBeingSent = (threadId: string) =>
    outbox.all
      .get()
      .some((entry) => entry.threadId === threadId && entry.newThread && entry.temporary === true);

  async function report(temporary: "open" | "closing"): Promise<void> {
    const threadId = id();
    if (threadId === undefined) return;
    mark(services, threadId);
    try {
      await call("threads.update", { params: { thread_id: threadId }, body: { temporary } });
    } catch (error) {
      if (!(error instanceof CallError) || isBeingSent(threadId)) return;
      // It was erased, or another tab kept it. Without a connection, the next report counts.
      if (error.status === 404) removeHere(services, threadId);
      if (id() !== threadId) return;
      if (error.status === 404) forget();
      else if (error.status === 400) kept();
    }
  }

  function watch(threadId: string): void {
    tabStorage.set(key, threadId);
    timer = setInterval(() => void report("open"), reportEveryMs);
    release = hold(threadId);
    void report("open");
  }

  function forget(): void {
    tabStorage.remove(key);
    clearInterval(timer);
    timer = undefined;
    release?.();
    release = undefined;
  }

  function kept(): void {
    const threadId = id();
    forget();
    if (threadId !== undefined) keepUnsent(services, threadId);
  }

  function end(): void {
    const threadId = id();
    if (threadId === undefined || threadId === keptId) return forget();
    const tabs = countTabsWith(threadId);
    forget();
    void tabs.then((count) => {
      const isElsewhere = count > 1;
      if (!isElsewhere) removeHere(services, threadId);
      // Without a connection, the server erases it when no page has reported for a while. It keeps one that was kept.
      const temporary = isElsewhere ? "closing" : "erase";
      void call("threads.update", { params: { thread_id: threadId }, body: { temporary } }).catch(() => {});
    });
  }

  // The server keeps a file that was not sent for less than an hour. If it is gone, it is uploaded again.
  setInterval(services.uploads.verify, reportEveryMs);
  addEventListener("pagehide", () => void report("closing"));
  addEventListener("pageshow", ({ persisted }) => void (persisted && report("open")));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void report("open");
  });
  const reloaded = id();
  if (reloaded !== undefined) watch(reloaded);
  void removeGone(services, reloaded);

  return {
    id,
    kept,
    end,
    isBeingSent,
    endNew() {
      services.drafts.clear((topic) => topic === temporaryDraft);
      services.uploads.erase(temporaryDraft);
    },
    open(threadId) {
      if (timer !== undefined && id() === threadId) return;
      if (id() !== threadId) end();
      watch(threadId);
    },
    async keep(threadId) {
      // Leaving the thread meanwhile must not erase it.
      keptId = threadId;
      try {
        await call("threads.update", { params: { thread_id: threadId }, body: { temporary: "keep" } });
      } finally {
        keptId = undefined;
      }
      deviceStorage.remove(marksPrefix + threadId);
      if (id() === threadId) forget();
      keepUnsent(services, threadId);
      const thread = cachedThread(services.queries, threadId);
      if (thread !== undefined) putThread(services.queries, { ...thread, temporary_until: null });
    },
  };
}

/** Holds a lock that says to other tabs that this one shows the thread. Without https, browsers have no locks. */
function hold(threadId: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const locks = navigator.locks as LockManager | undefined;
  void locks?.request(marksPrefix + threadId, { mode: "shared" }, async () => await promise);
  return resolve;
}

async function countTabsWith(threadId: string): Promise<number> {
  const locks = navigator.locks as LockManager | undefined;
  const { held = [] } = (await locks?.query()) ?? {};
  return held.filter(({ name }) => name === marksPrefix + threadId).length;
}

function messageIdsOf({ queries }: Services, id: string): string[] {
  return (cachedBranch(queries, id)?.messages ?? []).map((message) => message.id);
}

/** Remembers on this device what must be removed from it, also by another tab after this one was closed. */
function mark(services: Services, id: string): void {
  const edits = services.drafts.edits.get();
  const edited = messageIdsOf(services, id).filter((messageId) => edits.has(draftOfEdit(messageId)));
  deviceStorage.set(marksPrefix + id, edited.join(" "));
}

/** Removes what this device has of the thread: drafts, files, messages that were not sent, and what was read. */
function removeHere(services: Services, id: string): void {
  const { queries, drafts, outbox, uploads } = services;
  const marked = (deviceStorage.get(marksPrefix + id) ?? "").split(" ").filter((part) => part !== "");
  const messageIds = new Set([...marked, ...messageIdsOf(services, id)]);
  const topics = new Set([draftOf(id), ...[...messageIds].map(draftOfEdit)]);
  drafts.clear((topic) => topics.has(topic) || topic.startsWith(draftsInThread(id)));
  for (const entry of outbox.all.get()) if (entry.threadId === id) outbox.remove(entry.runId);
  uploads.erase(draftOf(id));
  forgetPanel(id);
  queries.removeQueries({ queryKey: threadKey(id) });
  queries.removeQueries({ queryKey: branchKey(id) });
  deviceStorage.remove(marksPrefix + id);
}

/** From now on, what was not sent survives when the tab is closed. */
function keepUnsent({ outbox, uploads }: Services, id: string): void {
  uploads.move(draftOf(id), draftOf(id));
  for (const entry of outbox.all.get())
    // What the server has stored is in no storage.
    if (entry.threadId === id && entry.state !== "stored") outbox.update(entry.runId, { temporary: false });
}

/** Deletes what closed tabs stored of threads that the server has erased. */
async function removeGone(services: Services, shownId: string | undefined): Promise<void> {
  const ids = deviceStorage.keys(marksPrefix).map((name) => name.slice(marksPrefix.length));
  if (ids.length > 0) await services.uploads.restore();
  for (const id of ids) {
    // The server may not have the first message of a tab that is open.
    if (id === shownId || (await countTabsWith(id)) > 0) continue;
    try {
      const { thread } = await services.call("threads.get", { params: { thread_id: id } });
      if (thread.temporary_until === null) deviceStorage.remove(marksPrefix + id);
    } catch (error) {
      if (error instanceof CallError && error.status === 404) removeHere(services, id);
    }
  }
}
