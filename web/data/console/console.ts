import { keepPreviousData } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { AppSummary } from "#contract/endpoints/console.ts";
import { signInSettingsKey } from "../query-keys.ts";
import { none, searchFor, useChange, usePages, useResource } from "../resource.ts";

/** Apps of apps, for administrators. Every list is read again whenever it is shown; changes throw `CallError`. */
const consoleKey = ["console"] as const;

export function useApps() {
  const { data, change, ...list } = useResource([...consoleKey, "apps"], "console.apps", {});
  const apps: AppSummary[] = data?.apps ?? none;
  return {
    ...list,
    apps,
    /** Returns its id. */
    create: async (name: string): Promise<string> =>
      (await change("console.createApp", { body: { name } })).app_id,
  };
}

/** An app with its origins and its rules for tokens. */
export function useApp(appId: string) {
  const params = { app_id: appId };
  const key = [...consoleKey, "app", appId];
  const { data: app, change, ...loaded } = useResource(key, "console.app", { params });
  // The page of people says which apps are open.
  const changeOpenness = useChange(key, signInSettingsKey);
  return {
    ...loaded,
    app,
    addOrigin: async (origin: string) => await change("console.addOrigin", { params, body: { origin } }),
    removeOrigin: async (origin: string) =>
      await change("console.removeOrigin", { params, query: { origin } }),
    putAnonymousTokens: async (body: BodyInputOf<"console.putAnonymousTokens">) =>
      await changeOpenness("console.putAnonymousTokens", { params, body }),
    addRule: async (body: BodyInputOf<"console.addJwtRule">) =>
      await change("console.addJwtRule", { params, body }),
    removeRule: async (id: string) =>
      await change("console.removeJwtRule", { params: { ...params, jwt_rule_id: id } }),
  };
}

/** All keys of an app, also those that ended. */
export function useAppKeys(appId: string) {
  const params = { app_id: appId };
  const key = [...consoleKey, "keys", appId];
  const change = useChange(key);
  const inputOf = (after: { after?: string }) => ({ params, query: after });
  const { pages, ...list } = usePages(key, "console.keys", inputOf, { isCleared: true });
  return {
    ...list,
    keys: pages.flatMap(({ keys }) => keys),
    /** Returns the key itself, which cannot be read again. Without `days` it does not expire. */
    async create(name: string, days?: number): Promise<string> {
      const body = { name, ...(days === undefined ? {} : { expires_at: inDays(days) }) };
      return (await change("console.createKey", { params, body })).key;
    },
    revoke: async (id: string) => await change("console.revokeKey", { params: { ...params, key_id: id } }),
  };
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60_000).toISOString();
}

/** Lists of the protocol call the place of a page its cursor. */
function cursorOf({ after }: { after?: string }): { cursor?: string } {
  return after === undefined ? {} : { cursor: after };
}

export function useAppUsers(appId: string, search: string) {
  const key = [...consoleKey, "users", appId, search];
  const { pages, ...list } = usePages(key, "console.users", (after) => ({
    params: { app_id: appId },
    query: { ...searchFor(search), ...cursorOf(after) },
  }));
  return { ...list, users: pages.flatMap(({ users }) => users) };
}

type ThreadFilter = { user?: string | undefined; isArchived: boolean };

const threadPage = 50;

export function useAppThreads(appId: string, { user, isArchived }: ThreadFilter) {
  const { pages, ...list } = usePages(
    [...consoleKey, "threads", appId, user, isArchived],
    "console.threads",
    (after) => ({
      params: { app_id: appId },
      query: {
        limit: String(threadPage),
        is_archived: isArchived ? "true" : "false",
        ...(user !== undefined && { created_by: user }),
        ...after,
      },
    }),
    { next: ({ threads }) => (threads.length === threadPage ? threads.at(-1)!.id : null) },
  );
  return { ...list, threads: pages.flatMap(({ threads }) => threads) };
}

const messagePage = 50;

/** The messages of a thread, oldest first; more are older ones. Disabled without a thread. */
export function useAppMessages(appId: string, threadId: string | null) {
  const { pages, ...list } = usePages(
    [...consoleKey, "messages", appId, threadId],
    "console.messages",
    (after) => ({
      params: { app_id: appId, thread_id: threadId! },
      query: { format: "aui/v0", limit: String(messagePage), ...after },
    }),
    {
      next: ({ messages }) => (messages.length === messagePage ? messages.at(-1)!.id : null),
      isCleared: true,
      enabled: threadId !== null,
    },
  );
  return { ...list, messages: pages.flatMap(({ messages }) => messages).toReversed() };
}

type RunFilter = { status?: RunStatus | undefined; user?: string | undefined; thread?: string | undefined };
export const runStatuses = ["completed", "incomplete", "error"] as const;
type RunStatus = (typeof runStatuses)[number];

export function useAppRuns(appId: string, { status, user, thread }: RunFilter) {
  const { pages, ...list } = usePages(
    [...consoleKey, "runs", appId, status, user, thread],
    "console.runs",
    (after) => ({
      params: { app_id: appId },
      query: {
        ...(status !== undefined && { status }),
        ...(user !== undefined && { created_by: user }),
        ...(thread !== undefined && { thread_id: thread }),
        ...cursorOf(after),
      },
    }),
    { next: (page) => page.next_cursor },
  );
  return { ...list, runs: pages.flatMap(({ runs }) => runs) };
}

export function useAppRun(appId: string, runId: string) {
  const params = { app_id: appId, run_id: runId };
  const { data: run, ...loaded } = useResource([...consoleKey, "run", appId, runId], "console.run", {
    params,
  });
  return { ...loaded, run };
}

const scorePage = 50;

/** Scores with this name, or of this run; all of them without either. */
export function useAppScores(appId: string, filter: { name?: string; run_id?: string }) {
  const { pages, ...list } = usePages(
    [...consoleKey, "scores", appId, filter],
    "console.scores",
    (after) => ({
      params: { app_id: appId },
      query: { ...filter, limit: String(scorePage), ...after },
    }),
    { next: ({ scores }) => (scores.length === scorePage ? scores.at(-1)!.id : null) },
  );
  return { ...list, scores: pages.flatMap(({ scores }) => scores) };
}

const dayMs = 24 * 60 * 60_000;

/** Every one of the last days (UTC), today included. */
export function useAppUsage(appId: string, days: number) {
  const dayAgo = (count: number) => new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
  const { data, ...loaded } = useResource(
    [...consoleKey, "usage", appId, days],
    "console.usage",
    { params: { app_id: appId }, query: { from: dayAgo(days - 1), to: dayAgo(0) } },
    { placeholderData: keepPreviousData },
  );
  return { ...loaded, days: data?.days ?? none };
}
