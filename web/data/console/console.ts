import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { ProjectSummary } from "#contract/endpoints/console.ts";
import { loadedOf } from "../load-state.ts";
import { usePagedList } from "../paged-list.ts";
import { useServices } from "../provider.tsx";
import { signInSettingsKey } from "../query-keys.ts";
import { refreshAfter } from "../refresh-after.ts";

/** Projects of apps, for administrators. Every list is read again whenever it is shown; changes throw `CallError`. */
const consoleKey = ["console"] as const;

export function useProjects() {
  const { call, queries } = useServices();
  const queryKey = [...consoleKey, "projects"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("console.projects", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    projects: query.data?.projects ?? noProjects,
    /** Returns its id. */
    create: async (name: string): Promise<string> =>
      (await refreshAfter(queries, [queryKey], call("console.createProject", { body: { name } }))).project_id,
  };
}

const noProjects: ProjectSummary[] = [];

/** A project with its origins and its rules for tokens. */
export function useProject(projectId: string) {
  const { call, queries } = useServices();
  const params = { project_id: projectId };
  const queryKey = [...consoleKey, "project", projectId];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("console.project", { params }, signal),
    staleTime: 0,
  });
  const afterwards = async <T>(change: Promise<T>) => await refreshAfter(queries, [queryKey], change);
  return {
    ...loadedOf(query),
    project: query.data,
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

/** All keys of a project, also those that ended. */
export function useProjectKeys(projectId: string) {
  const { call, queries } = useServices();
  const params = { project_id: projectId };
  const key = [...consoleKey, "keys", projectId];
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

export function useProjectUsers(projectId: string, search: string) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "users", projectId, search],
    read: async ({ after }, signal) =>
      await call(
        "console.users",
        {
          params: { project_id: projectId },
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

export function useProjectThreads(projectId: string, { user, isArchived }: ThreadFilter) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "threads", projectId, user, isArchived],
    read: async (after, signal) =>
      await call(
        "console.threads",
        {
          params: { project_id: projectId },
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
export function useProjectMessages(projectId: string, threadId: string | null) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "messages", projectId, threadId],
    read: async (after, signal) =>
      await call(
        "console.messages",
        {
          params: { project_id: projectId, thread_id: threadId! },
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

export function useProjectRuns(projectId: string, { status, user, thread }: RunFilter) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "runs", projectId, status, user, thread],
    read: async ({ after }, signal) =>
      await call(
        "console.runs",
        {
          params: { project_id: projectId },
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

export function useProjectRun(projectId: string, runId: string) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...consoleKey, "run", projectId, runId],
    queryFn: async ({ signal }) =>
      await call("console.run", { params: { project_id: projectId, run_id: runId } }, signal),
    staleTime: 0,
  });
  return { ...loadedOf(query), run: query.data };
}

const scorePage = 50;

/** Scores with this name, or of this run; all of them without either. */
export function useProjectScores(projectId: string, filter: { name?: string; run_id?: string }) {
  const { call } = useServices();
  const { pages, ...list } = usePagedList({
    key: [...consoleKey, "scores", projectId, filter],
    read: async (after, signal) =>
      await call(
        "console.scores",
        {
          params: { project_id: projectId },
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
export function useProjectUsage(projectId: string, days: number) {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...consoleKey, "usage", projectId, days],
    queryFn: async ({ signal }) => {
      const dayAgo = (count: number) => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
      const range = { from: dayAgo(days - 1), to: dayAgo(0) };
      return await call("console.usage", { params: { project_id: projectId }, query: range }, signal);
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { ...loadedOf(query), days: query.data?.days ?? [] };
}
