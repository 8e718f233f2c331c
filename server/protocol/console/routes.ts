import { actorOf } from "#server/audit/audit.ts";
import type { AppKey, Routes, Visitor } from "#server/lib/route.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Replays } from "#server/runs/replay/replay.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { AppRuns } from "../app-runs/app-runs.ts";
import type { Scores } from "../scores/scores.ts";
import type { Console } from "./console.ts";

type Names =
  | "console.apps"
  | "console.createApp"
  | "console.app"
  | "console.keys"
  | "console.createKey"
  | "console.revokeKey"
  | "console.addOrigin"
  | "console.removeOrigin"
  | "console.addJwtRule"
  | "console.removeJwtRule"
  | "console.putAnonymousTokens"
  | "console.users"
  | "console.threads"
  | "console.messages"
  | "console.runs"
  | "console.run"
  | "console.replay"
  | "console.scores"
  | "console.usage";

/** Reads are those of an app's API key, with the same limits: nothing of people who have an account. */
export function consoleRoutes(
  console: Console,
  reads: { threads: Threads; messages: Messages; runs: AppRuns; replays: Replays; scores: Scores },
): Routes<Names> {
  const { threads, messages, runs, replays, scores } = reads;

  /** Throws `app-not-found`. */
  async function keyOf(visitor: Visitor, appId: string): Promise<AppKey> {
    await console.require(appId);
    return { appId, credentialId: visitor.credentialId };
  }

  return {
    "console.apps": async () => ({ apps: await console.list() }),
    "console.createApp": async ({ visitor, body, request }) => ({
      app_id: await console.create(body.name, actorOf({ visitor, request })),
    }),
    "console.app": async ({ params }) => await console.get(params.app_id),
    "console.keys": async ({ params, query }) => await console.keys(params.app_id, query),
    "console.createKey": async ({ visitor, params, body, request }) =>
      await console.createKey(params.app_id, body, actorOf({ visitor, request })),
    "console.revokeKey": async ({ visitor, params, request }) => {
      await console.revokeKey(params.app_id, params.key_id, actorOf({ visitor, request }));
      return {};
    },
    "console.addOrigin": async ({ visitor, params, body, request }) => {
      await console.addOrigin(params.app_id, body.origin, actorOf({ visitor, request }));
      return {};
    },
    "console.removeOrigin": async ({ visitor, params, query, request }) => {
      await console.removeOrigin(params.app_id, query.origin, actorOf({ visitor, request }));
      return {};
    },
    "console.addJwtRule": async ({ visitor, params, body, request }) =>
      await console.addRule(params.app_id, body, visitor, actorOf({ visitor, request })),
    "console.removeJwtRule": async ({ visitor, params, request }) => {
      await console.removeRule(params.app_id, params.jwt_rule_id, actorOf({ visitor, request }));
      return {};
    },
    "console.putAnonymousTokens": async ({ visitor, params, body, request }) => {
      await console.putAnonymousTokens(params.app_id, body, actorOf({ visitor, request }));
      return {};
    },
    "console.users": async ({ params, query }) => await console.users(params.app_id, query),
    "console.threads": async ({ visitor, params, query }) => ({
      threads: await threads.listOfApp(await keyOf(visitor, params.app_id), query),
    }),
    "console.messages": async ({ visitor, params, query }) => ({
      messages: await messages.listOfApp(await keyOf(visitor, params.app_id), params.thread_id, query),
    }),
    "console.runs": async ({ visitor, params, query }) =>
      await runs.list(await keyOf(visitor, params.app_id), query),
    "console.run": async ({ visitor, params }) =>
      await runs.get(await keyOf(visitor, params.app_id), params.run_id),
    "console.replay": async ({ visitor, params }) => {
      const { id } = await runs.get(await keyOf(visitor, params.app_id), params.run_id);
      return await replays.get(id);
    },
    "console.scores": async ({ visitor, params, query }) => ({
      scores: await scores.listOfApp(await keyOf(visitor, params.app_id), query),
    }),
    "console.usage": async ({ visitor, params, query }) => ({
      days: await runs.usage(await keyOf(visitor, params.app_id), query),
    }),
  };
}
