import { actorOf } from "#server/audit/audit.ts";
import type { ProjectKey, Routes, Visitor } from "#server/lib/route.ts";
import type { Messages } from "#server/messages/messages.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { ProjectRuns } from "../app-runs/app-runs.ts";
import type { Scores } from "../scores/scores.ts";
import type { Console } from "./console.ts";

type Names =
  | "console.projects"
  | "console.createProject"
  | "console.project"
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
  | "console.scores"
  | "console.usage";

/** Reads are those of a project's API key, with the same limits: nothing of people who have an account. */
export function consoleRoutes(
  console: Console,
  reads: { threads: Threads; messages: Messages; runs: ProjectRuns; scores: Scores },
): Routes<Names> {
  const { threads, messages, runs, scores } = reads;

  /** Throws `project-not-found`. */
  async function keyOf(visitor: Visitor, projectId: string): Promise<ProjectKey> {
    await console.require(projectId);
    return { projectId, credentialId: visitor.credentialId };
  }

  return {
    "console.projects": async () => ({ projects: await console.list() }),
    "console.createProject": async ({ visitor, body, request }) => ({
      project_id: await console.create(body.name, actorOf({ visitor, request })),
    }),
    "console.project": async ({ params }) => await console.get(params.project_id),
    "console.keys": async ({ params, query }) => await console.keys(params.project_id, query),
    "console.createKey": async ({ visitor, params, body, request }) =>
      await console.createKey(params.project_id, body, actorOf({ visitor, request })),
    "console.revokeKey": async ({ visitor, params, request }) => {
      await console.revokeKey(params.project_id, params.key_id, actorOf({ visitor, request }));
      return {};
    },
    "console.addOrigin": async ({ visitor, params, body, request }) => {
      await console.addOrigin(params.project_id, body.origin, actorOf({ visitor, request }));
      return {};
    },
    "console.removeOrigin": async ({ visitor, params, query, request }) => {
      await console.removeOrigin(params.project_id, query.origin, actorOf({ visitor, request }));
      return {};
    },
    "console.addJwtRule": async ({ visitor, params, body, request }) =>
      await console.addRule(params.project_id, body, visitor, actorOf({ visitor, request })),
    "console.removeJwtRule": async ({ visitor, params, request }) => {
      await console.removeRule(params.project_id, params.jwt_rule_id, actorOf({ visitor, request }));
      return {};
    },
    "console.putAnonymousTokens": async ({ visitor, params, body, request }) => {
      await console.putAnonymousTokens(params.project_id, body, actorOf({ visitor, request }));
      return {};
    },
    "console.users": async ({ params, query }) => await console.users(params.project_id, query),
    "console.threads": async ({ visitor, params, query }) => ({
      threads: await threads.listOfProject(await keyOf(visitor, params.project_id), query),
    }),
    "console.messages": async ({ visitor, params, query }) => ({
      messages: await messages.listOfProject(
        await keyOf(visitor, params.project_id),
        params.thread_id,
        query,
      ),
    }),
    "console.runs": async ({ visitor, params, query }) =>
      await runs.list(await keyOf(visitor, params.project_id), query),
    "console.run": async ({ visitor, params }) =>
      await runs.get(await keyOf(visitor, params.project_id), params.run_id),
    "console.scores": async ({ visitor, params, query }) => ({
      scores: await scores.listOfProject(await keyOf(visitor, params.project_id), query),
    }),
    "console.usage": async ({ visitor, params, query }) => ({
      days: await runs.usage(await keyOf(visitor, params.project_id), query),
    }),
  };
}
