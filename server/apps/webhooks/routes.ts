import { actorOf } from "#server/audit/audit.ts";
import type { Routes } from "#server/lib/route.ts";
import type { Webhooks } from "./webhooks.ts";

type Names =
  | "webhooks.list"
  | "webhooks.create"
  | "webhooks.change"
  | "webhooks.remove"
  | "webhooks.rotateSecret"
  | "webhooks.test"
  | "webhooks.deliveries"
  | "webhooks.resend";

export function webhookRoutes(webhooks: Webhooks): Routes<Names> {
  return {
    "webhooks.list": async ({ params }) => ({ webhooks: await webhooks.list(params.app_id) }),
    "webhooks.create": async ({ visitor, params, body, request }) =>
      await webhooks.create(params.app_id, body, actorOf({ visitor, request })),
    "webhooks.change": async ({ visitor, params, body, request }) => ({
      webhook: await webhooks.change(params.app_id, params.webhook_id, body, actorOf({ visitor, request })),
    }),
    "webhooks.remove": async ({ visitor, params, request }) => {
      await webhooks.remove(params.app_id, params.webhook_id, actorOf({ visitor, request }));
      return {};
    },
    "webhooks.rotateSecret": async ({ visitor, params, request }) =>
      await webhooks.rotateSecret(params.app_id, params.webhook_id, actorOf({ visitor, request })),
    "webhooks.test": async ({ params }) => ({
      delivery_id: await webhooks.test(params.app_id, params.webhook_id),
    }),
    "webhooks.deliveries": async ({ params, query }) =>
      await webhooks.deliveries(params.app_id, params.webhook_id, query),
    "webhooks.resend": async ({ params }) => {
      await webhooks.resend(params.app_id, params.webhook_id, params.delivery_id);
      return {};
    },
  };
}
