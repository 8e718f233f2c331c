import { JsonResponse, type Routes } from "../lib/route.ts";
import type { AllowedTools } from "./allowed-tools.ts";
import type { Claims } from "./claim.ts";
import type { TemporaryThreads } from "./temporary.ts";
import type { Threads } from "./threads.ts";
import type { Trash } from "./trash.ts";

type Names =
  | "apps.threads"
  | "threads.claim"
  | "threads.list"
  | "threads.create"
  | "threads.get"
  | "threads.update"
  | "threads.remove"
  | "threads.restore"
  | "threads.askAgain"
  | "trash.list"
  | "trash.remove"
  | "trash.empty";

export function threadRoutes(
  threads: Threads,
  claims: Claims,
  trash: Trash,
  allowedTools: AllowedTools,
  temporary: TemporaryThreads,
): Routes<Names> {
  return {
    "threads.list": async ({ visitor, query }) => ({ threads: await threads.list(visitor, query) }),
    "apps.threads": async ({ key, query }) => ({ threads: await threads.listOfApp(key, query) }),
    "threads.claim": async ({ visitor, body }) => ({
      moved: await claims.claim(visitor, body.refresh_token),
    }),
    "threads.create": async ({ visitor, body }) => {
      const { id, created } = await threads.create(visitor, body);
      return new JsonResponse({ thread_id: id }, { status: created ? 201 : 200 });
    },
    "threads.get": async ({ visitor, params }) => ({ thread: await threads.get(visitor, params.thread_id) }),
    "threads.update": async ({ visitor, params, body }) => {
      await threads.update(visitor, params.thread_id, body);
      if (body.temporary === "erase") await temporary.erase(params.thread_id);
      return {};
    },
    "threads.remove": async ({ visitor, params }) => {
      const { isErased } = await threads.remove(visitor, params.thread_id);
      if (isErased) await temporary.erase(params.thread_id);
      return {};
    },
    "threads.restore": async ({ visitor, params }) => ({
      thread: await threads.restore(visitor, params.thread_id),
    }),
    "threads.askAgain": async ({ visitor, params }) => {
      await allowedTools.revoke(visitor, params.thread_id, params.tool_name);
      return {};
    },
    "trash.list": async ({ visitor, query }) => ({ threads: await trash.list(visitor, query) }),
    "trash.remove": async ({ visitor, params }) => {
      await trash.remove(visitor, params.thread_id);
      return {};
    },
    "trash.empty": async ({ visitor }) => ({ deleted: await trash.empty(visitor) }),
  };
}
