import { allows } from "#contract/accounts/permissions.ts";
import type { Routes } from "../lib/route.ts";
import type { Assistants } from "./assistants.ts";

type Names =
  | "assistants.list"
  | "assistants.get"
  | "assistants.create"
  | "assistants.update"
  | "assistants.reorder"
  | "assistants.remove"
  | "assistants.restore";

export function assistantRoutes(assistants: Assistants): Routes<Names> {
  return {
    "assistants.list": async ({ visitor }) => ({
      assistants: await assistants.list(visitor.projectId),
      may_change: allows(visitor.role, "assistants.manage"),
    }),
    "assistants.get": async ({ visitor, params }) =>
      await assistants.get(visitor.projectId, params.assistant_id),
    "assistants.create": async ({ visitor, body }) => ({ assistant: await assistants.create(visitor, body) }),
    "assistants.update": async ({ visitor, params, body }) => ({
      assistant: await assistants.update(visitor, params.assistant_id, body),
    }),
    "assistants.reorder": async ({ visitor, body }) => {
      await assistants.reorder(visitor, body.assistant_ids);
      return {};
    },
    "assistants.remove": async ({ visitor, params }) => {
      await assistants.remove(visitor, params.assistant_id);
      return {};
    },
    "assistants.restore": async ({ visitor, params }) => ({
      assistant: await assistants.restore(visitor, params.assistant_id),
    }),
  };
}
