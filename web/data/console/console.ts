import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { ProjectSummary } from "#contract/endpoints/console.ts";
import { loadedOf, loadedPagesOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";

/** Projects of apps, for administrators. Every list is read again whenever it is shown; changes throw `CallError`. */
const consoleKey = ["console"] as const;

export function useProjects() {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: [...consoleKey, "projects"],
    queryFn: async ({ signal }) => await call("console.projects", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    projects: query.data?.projects ?? noProjects,
    /** Returns its id. */
    async create(name: string): Promise<string> {
      const { project_id: id } = await call("console.createProject", { body: { name } });
      await queries.invalidateQueries({ queryKey: [...consoleKey, "projects"] });
      return id;
    },
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
  const afterwards = async <T>(action: Promise<T>): Promise<T> => {
    try {
      return await action;
    } finally {
      await queries.invalidateQueries({ queryKey });
    }
  };
  return {
    ...loadedOf(query),
    project: query.data,
    addOrigin: async (origin: string) =>
      await afterwards(call("console.addOrigin", { params, body: { origin } })),
    removeOrigin: async (origin: string) =>
      await afterwards(call("console.removeOrigin", { params, query: { origin } })),
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
  const query = useInfiniteQuery({
    queryKey: [...consoleKey, "keys", projectId],
    queryFn: async ({ signal, pageParam }) =>
      await call("console.keys", { params, query: afterOf(pageParam) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
  const refresh = async () => await queries.invalidateQueries({ queryKey: [...consoleKey, "keys"] });
  return {
    ...loadedPagesOf(query),
    keys: query.data?.pages.flatMap(({ keys }) => keys) ?? [],
    /** Returns the key itself, which cannot be read again. Without `days` it does not expire. */
    async create(name: string, days?: number): Promise<string> {
      const body = { name, ...(days === undefined ? {} : { expires_at: inDays(days) }) };
      const { key } = await call("console.createKey", { params, body });
      await refresh();
      return key;
    },
    async revoke(id: string) {
      try {
        await call("console.revokeKey", { params: { ...params, key_id: id } });
      } finally {
        await refresh();
      }
    },
  };
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60_000).toISOString();
}

export function useProjectUsers(projectId: string, search: string) {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...consoleKey, "users", projectId, search],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "console.users",
        {
          params: { project_id: projectId },
          query: {
            ...(search === "" ? {} : { search }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { ...loadedPagesOf(query), users: query.data?.pages.flatMap(({ users }) => users) ?? [] };
}

type ThreadFilter = { user?: string | undefined; isArchived: boolean };

const threadPage = 50;

export function useProjectThreads(projectId: string, { user, isArchived }: ThreadFilter) {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...consoleKey, "threads", projectId, user, isArchived],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "console.threads",
        {
          params: { project_id: projectId },
          query: {
            limit: String(threadPage),
            is_archived: isArchived ? "true" : "false",
            ...(user === undefined ? {} : { created_by: user }),
            ...afterOf(pageParam),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ threads }) => (threads.length === threadPage ? threads.at(-1)!.id : null),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { ...loadedPagesOf(query), threads: query.data?.pages.flatMap(({ threads }) => threads) ?? [] };
}

const messagePage = 50;

/** The messages of a thread, oldest first; more are older ones. Disabled without a thread. */
export function useProjectMessages(projectId: string, threadId: string | null) {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...consoleKey, "messages", projectId, threadId],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "console.messages",
        {
          params: { project_id: projectId, thread_id: threadId! },
          query: { format: "aui/v0", limit: String(messagePage), ...afterOf(pageParam) },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ messages }) => (messages.length === messagePage ? messages.at(-1)!.id : null),
    enabled: threadId !== null,
    staleTime: 0,
  });
  return {
    ...loadedPagesOf(query),
    messages: (query.data?.pages.flatMap(({ messages }) => messages) ?? []).toReversed(),
  };
}

type RunFilter = { status?: RunStatus | undefined; user?: string | undefined; thread?: string | undefined };
export const runStatuses = ["completed", "incomplete", "error"] as const;
type RunStatus = (typeof runStatuses)[number];

export function useProjectRuns(projectId: string, { status, user, thread }: RunFilter) {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...consoleKey, "runs", projectId, status, user, thread],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "console.runs",
        {
          params: { project_id: projectId },
          query: {
            ...(status === undefined ? {} : { status }),
            ...(user === undefined ? {} : { created_by: user }),
            ...(thread === undefined ? {} : { thread_id: thread }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { ...loadedPagesOf(query), runs: query.data?.pages.flatMap(({ runs }) => runs) ?? [] };
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
  const query = useInfiniteQuery({
    queryKey: [...consoleKey, "scores", projectId, filter],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "console.scores",
        {
          params: { project_id: projectId },
          query: { ...filter, limit: String(scorePage), ...afterOf(pageParam) },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ scores }) => (scores.length === scorePage ? scores.at(-1)!.id : null),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { ...loadedPagesOf(query), scores: query.data?.pages.flatMap(({ scores }) => scores) ?? [] };
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

function afterOf(after: string | null): { after?: string } {
  return after === null ? {} : { after };
}
