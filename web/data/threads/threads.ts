import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo, useState, useSyncExternalStore } from "react";
import type { Thread } from "#contract/endpoints/threads.ts";
import { backoffMs } from "#web/lib/backoff.ts";
import { CallError } from "../call-error.ts";
import { loadedOf, type Loaded, type LoadedPages, type LoadState } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { useSession } from "../session/session.ts";
import type { Services } from "../services.ts";
import { createThreadActions, type ThreadActions } from "./thread-actions.ts";
import { cachedThread } from "./thread-cache.ts";
import {
  folderKind,
  threadKey,
  threadListKey,
  threadPageSize,
  withPage,
  type CachedThreads,
  type ThreadListKind,
} from "./thread-list.ts";

/** The loaded part of the user's threads, newest message first. */
export function useThreadList(kind: ThreadListKind): LoadedPages & {
  threads: Thread[];
  /** How long to wait before calling `loadMore` automatically: 0, and longer after each failure. */
  moreAfterMs: number;
} {
  const services = useServices();
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [failed, setFailed] = useState({ tries: 0, pauseMs: 0 });
  const query = useQuery(threadListQuery(services, kind));
  const { data } = query;

  async function loadMore(): Promise<void> {
    if (isLoadingMore || data?.hasMore !== true) return;
    setLoadingMore(true);
    try {
      const page = await readPage(services, kind, data.threads.at(-1)?.id);
      services.queries.setQueryData<CachedThreads>(
        threadListKey(kind),
        (list) => list && withPage(list, page),
      );
      setFailed({ tries: 0, pauseMs: 0 });
    } catch (error) {
      // The user can scroll to the end of the list again.
      const requestedMs = error instanceof CallError ? error.retryAfterMs : undefined;
      const tries = failed.tries + 1;
      setFailed({ tries, pauseMs: Math.max(requestedMs ?? 0, backoffMs(tries + skippedPauses)) });
    } finally {
      setLoadingMore(false);
    }
  }

  return {
    ...loadedOf(query),
    threads: data?.threads ?? none,
    hasMore: data?.hasMore ?? false,
    isLoadingMore,
    moreAfterMs: failed.pauseMs,
    loadMore: () => void loadMore(),
  };
}

/**
 * The threads of the sidebar: all pinned threads, then the loaded part of the others. `hasFolders`: without those in
 * folders, which are shown there.
 */
export function useSidebarThreads(hasFolders: boolean): ReturnType<typeof useThreadList> {
  const pinned = useThreadList("pinned");
  const regular = useThreadList("regular");
  const own = useThreadList(hasFolders ? "loose" : "regular");
  const list =
    own.state === "ready" || !hasFolders
      ? own
      : { ...regular, threads: regular.threads.filter((thread) => thread.folder_id === null) };
  // Wait for the pinned threads, which would move the list down; if they fail to load, show the others.
  if (pinned.state === "loading") return { ...list, threads: none, state: "loading" };
  if (pinned.state === "failed" || pinned.threads.length === 0) return list;
  const others = list.threads.filter((thread) => !thread.is_pinned);
  return { ...list, threads: [...pinned.threads, ...others] };
}

/** The threads of a folder that are not shown as pinned; none without a folder. */
export function useFolderThreads(folderId: string): ReturnType<typeof useThreadList> {
  const list = useThreadList(folderKind(folderId));
  if (useThreadList("pinned").state !== "ready") return list;
  return { ...list, threads: list.threads.filter((thread) => !thread.is_pinned) };
}

/** The threads that others share with the user, newest message first. None for people without an account. */
export function useSharedThreads(): Loaded & { threads: Thread[] } {
  const services = useServices();
  const { me } = useSession();
  const query = useQuery({
    ...threadListQuery(services, "shared"),
    // The feed says nothing when somebody joins a group or leaves it.
    staleTime: 60_000,
    refetchOnWindowFocus: true,
    enabled: me !== undefined && me.email !== null,
  });
  return { ...loadedOf(query), threads: query.data?.threads ?? none };
}

const none: Thread[] = [];
/** 2: the first pause is 2 to 4 s, because a further page is less urgent than a message. */
const skippedPauses = 2;

export function threadListQuery(services: Services, kind: ThreadListKind) {
  return queryOptions({
    queryKey: threadListKey(kind),
    queryFn: async ({ signal }) => await readList(services, kind, signal),
    enabled: kind !== folderKind(""),
  });
}

async function readPage(
  { call }: Services,
  kind: ThreadListKind,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<Thread[]> {
  if (kind === "shared") return (await call("threadMembers.threads", { query: {} }, signal)).threads;
  const query = {
    is_archived: kind === "archived" ? "true" : "false",
    ...(kind === "pinned" ? { is_pinned: "true" as const } : {}),
    ...(kind === "loose" ? { in_folder: "false" as const } : {}),
    ...(kind.startsWith("folder:") ? { folder_id: kind.slice("folder:".length) } : {}),
    limit: String(threadPageSize),
    ...(after === undefined ? {} : { after }),
  } as const;
  return (await call("threads.list", { query }, signal)).threads;
}

/** Reads as many threads as were loaded before; all of the pinned ones. */
async function readList(
  services: Services,
  kind: ThreadListKind,
  signal: AbortSignal,
): Promise<CachedThreads> {
  if (kind === "shared")
    return { threads: await readPage(services, kind, undefined, signal), hasMore: false };
  const loadedCount = services.queries.getQueryData<CachedThreads>(threadListKey(kind))?.threads.length ?? 0;
  let list: CachedThreads = { threads: [], hasMore: true };
  do {
    list = withPage(list, await readPage(services, kind, list.threads.at(-1)?.id, signal));
  } while (list.hasMore && (kind === "pinned" || list.threads.length < loadedCount));
  return list;
}

/** One thread. `missing`: it does not exist, the user may not read it, or it is in the trash. */
export function useThread(
  id: string | undefined,
): Omit<Loaded, "state"> & { thread?: Thread; state: LoadState | "missing" } {
  const services = useServices();
  const isNew = useIsInOutbox(id);
  const query = useQuery({
    queryKey: threadKey(id ?? ""),
    queryFn: async ({ signal }) =>
      (await services.call("threads.get", { params: { thread_id: id ?? "" } }, signal)).thread,
    enabled: id !== undefined && !isNew,
    placeholderData: () => (id === undefined ? undefined : cachedThread(services.queries, id)),
  });
  const { data, error } = query;
  const loaded = loadedOf(query);
  if (error instanceof CallError && error.status === 404) return { ...loaded, state: "missing" };
  if (data === undefined || id === undefined)
    return { ...loaded, state: id === undefined ? "loading" : loaded.state };
  return data.deleted_at === null ? { ...loaded, thread: data } : { ...loaded, state: "missing" };
}

/** Whether its first message is in the outbox. When the server has it, the change feed brings the thread. */
function useIsInOutbox(id: string | undefined): boolean {
  const { outbox } = useServices();
  return useSyncExternalStore(outbox.all.subscribe, () =>
    outbox.all.get().some((entry) => entry.threadId === id && entry.newThread),
  );
}

/** Whether the server does not have this new thread yet: its first message is in the outbox. */
export function isUnsent({ outbox }: Services, id: string | undefined): boolean {
  return outbox.all
    .get()
    .some((entry) => entry.threadId === id && entry.newThread && entry.state !== "stored");
}

export function useThreadActions(): ThreadActions {
  const services = useServices();
  return useMemo(() => createThreadActions(services), [services]);
}
