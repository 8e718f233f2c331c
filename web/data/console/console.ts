import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { AppSummary } from "#contract/endpoints/console.ts";
import { loadedOf } from "../load-state.ts";
import { usePagedList } from "../paged-list.ts";
import { useServices } from "../provider.tsx";
import { signInSettingsKey } from "../query-keys.ts";
import { refreshAfter } from "../refresh-after.ts";

/** Apps of apps, for administrators. Every list is read again whenever it is shown; changes throw `CallError`. */
const consoleKey = ["console"] as const;

export function useApps() {
  const { call, queries } = useServices();
  const queryKey = [...consoleKey, "apps"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("console.apps", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    apps: query.data?.apps ?? noApps,
    /** Returns its id. */
    create: async (name: string): Promise<string> =>
      (await refreshAfter(queries, [queryKey], call("console.createApp", { body: { name } }))).app_id,
  };
}

const noApps: AppSummary[] = [];

/** An app with its origins and its rules for tokens. */
export function useApp(appId: string) {
  const { call, queries } = useServices();
  const params = { app_id: appId };
  const queryKey = [...consoleKey, "app", appId];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("console.app", { params }, signal),
    staleTime: 0,
  });
  const afterwards = async <T>(change: Promise<T>) => await refreshAfter(queries, [queryKey], change);
  return {
    ...loadedOf(query),
    app: query.data,
    addOrigin: async (origin: string) =>
      await afterwards(call("console.addOrigin", { params, body: { origin } })),
    removeOrigin: async (origin: string) =>
      await afterwards(call("console.removeOrigin", { params, query: { origin } })),
    putAnonymousTokens: async (body: BodyInputOf<"console.putAnonymousTokens">) =>
      // The page of people says which apps are open.
      await refreshAfter(
        queries,
        [queryKey, signInSettingsKey],
        call("console.putAnonymousTokens", { params, body }),
      ),
    addRule: async (body: BodyInputOf<"console.addJwtRule">) =>
      await afterwards(call("console.addJwtRule", { params, body })),
    removeRule: async (id: string) =>
      await afterwards(call("console.removeJwtRule", { params: { ...params, jwt_rule_id: id } })),
  };
}

/** All keys of an app, also those that ended. */
export function useAppKeys(appId: string) {
  const { call, queries } = useServices();
  const params = { app_id: appId };
  const key = [...consoleKey, "keys", appId];
  const { pages, ...list } = usePagedList({
    key,
    read: async (after, signal) => await call("console.keys", { params, query: after }, signal),
    next: (page) => page.next,
    isCleared: true,
  });
  return {
    ...list,
    keys: pages.flatMap(({ keys }) => keys),
    /** Returns the key itself, which cannot be read again. Without `days` it does not expire. */
    async create(name: string, days?: number): Promise<string> {
      const body = { name, ...(days === undefined ? {} : { expires_at: inDays(days) }) };
      return (await refreshAfter(queries, [key], call("console.createKey", { params, body }))).key;
    },
    async revoke(id: string) {
      await refreshAfter(queries, [key], call("console.revokeKey", { params: { ...params, key_id: id } }));
    },
  };
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60_000).toISOString();
}

export function useAppUsers(appId: string, search: string) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "users", appId, search],
    read: async ({ after }, signal) =>
      await call(
        "console.users",
        {
          params: { app_id: appId },
          query: { ...(search !== "" && { search }), ...(after !== undefined && { cursor: after }) },
        },
        signal,
      ),
    next: (page) => page.next,
  });
  return { ...list, users: pages.flatMap(({ users }) => users) };
}

type ThreadFilter = { user?: string | undefined; isArchived: boolean };

const threadPage = 50;

export function useAppThreads(appId: string, { user, isArchived }: ThreadFilter) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "threads", appId, user, isArchived],
    read: async (after, signal) =>
      await call(
        "console.threads",
        {
          params: { app_id: appId },
          query: {
            limit: String(threadPage),
            is_archived: isArchived ? "true" : "false",
            ...(user !== undefined && { created_by: user }),
            ...after,
          },
        },
        signal,
      ),
    next: ({ threads }) => (threads.length === threadPage ? threads.at(-1)!.id : null),
  });
  return { ...list, threads: pages.flatMap(({ threads }) => threads) };
}

const messagePage = 50;

/** The messages of a thread, oldest first; more are older ones. Disabled without a thread. */
export function useAppMessages(appId: string, threadId: string | null) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "messages", appId, threadId],
    read: async (after, signal) =>
      await call(
        "console.messages",
        {
          params: { app_id: appId, thread_id: threadId! },
          query: { format: "aui/v0", limit: String(messagePage), ...after },
        },
        signal,
      ),
    next: ({ messages }) => (messages.length === messagePage ? messages.at(-1)!.id : null),
    isCleared: true,
    enabled: threadId !== null,
  });
  return { ...list, messages: pages.flatMap(({ messages }) => messages).toReversed() };
}

type RunFilter = { status?: RunStatus | undefined; user?: string | undefined; thread?: string | undefined };
export const runStatuses = ["completed", "incomplete", "error"] as const;
type RunStatus = (typeof runStatuses)[number];

export function useAppRuns(appId: string, { status, user, thread }: RunFilter) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "runs", appId, status, user, thread],
    read: async ({ after }, signal) =>
      await call(
        "console.runs",
        {
          params: { app_id: appId },
          query: {
            ...(status !== undefined && { status }),
            ...(user !== undefined && { created_by: user }),
            ...(thread !== undefined && { thread_id: thread }),
            ...(after !== undefined && { cursor: after }),
          },
        },
        signal,
      ),
    next: (page) => page.next_cursor,
  });
  return { ...list, runs: pages.flatMap(({ runs }) => runs) };
}

export function useAppRun(appId: string, runId: string) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...consoleKey, "run", appId, runId],
    queryFn: async ({ signal }) =>
      await call("console.run", { params: { app_id: appId, run_id: runId } }, signal),
    staleTime: 0,
  });
  return { ...loadedOf(query), run: query.data };
}

const scorePage = 50;

/** Scores with this name, or of this run; all of them without either. */
export function useAppScores(appId: string, filter: { name?: string; run_id?: string }) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "scores", appId, filter],
    read: async (after, signal) =>
      await call(
        "console.scores",
        {
          params: { app_id: appId },
          query: { ...filter, limit: String(scorePage), ...after },
        },
        signal,
      ),
    next: ({ scores }) => (scores.length === scorePage ? scores.at(-1)!.id : null),
  });
  return { ...list, scores: pages.flatMap(({ scores }) => scores) };
}

const dayMs = 24 * 60 * 60_000;

/** Every one of the last days (UTC), today included. */
export function useAppUsage(appId: string, days: number) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...consoleKey, "usage", appId, days],
    queryFn: async ({ signal }) => {
      const dayAgo = (count: number) => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
      const range = { from: dayAgo(days - 1), to: dayAgo(0) };
      return await call("console.usage", { params: { app_id: appId }, query: range }, signal);
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { ...loadedOf(query), days: query.data?.days ?? [] };
}
