import { actorOf } from "#server/audit/audit.ts";
import type { Rights } from "../people/rights/rights.ts";
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

export function assistantRoutes(assistants: Assistants, rights: Rights): Routes<Names> {
  return {
    "assistants.list": async ({ visitor }) => {
      const access = await rights.of(visitor);
      return {
        assistants: (await assistants.list(visitor.appId)).filter(({ id }) => access.assistant(id)),
        may_change: access.has("assistants.manage"),
      };
    },
    "assistants.get": async ({ visitor, params }) => await assistants.get(visitor.appId, params.assistant_id),
    "assistants.create": async ({ visitor, body, request }) => ({
      assistant: await assistants.create(visitor, body, actorOf({ visitor, request })),
    }),
    "assistants.update": async ({ visitor, params, body, request }) => ({
      assistant: await assistants.update(visitor, params.assistant_id, body, actorOf({ visitor, request })),
    }),
    "assistants.reorder": async ({ visitor, body, request }) => {
      await assistants.reorder(visitor, body.assistant_ids, actorOf({ visitor, request }));
      return {};
    },
    "assistants.remove": async ({ visitor, params, request }) => {
      await assistants.remove(visitor, params.assistant_id, actorOf({ visitor, request }));
      return {};
    },
    "assistants.restore": async ({ visitor, params, request }) => ({
      assistant: await assistants.restore(visitor, params.assistant_id, actorOf({ visitor, request })),
    }),
  };
}
