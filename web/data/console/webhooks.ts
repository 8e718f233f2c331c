import type { BodyInputOf } from "#contract/api.ts";
import { none, useChange, usePages, useResource } from "../resource.ts";

const webhooksKey = ["console", "webhooks"] as const;

/** The webhooks of an app. Changes throw `CallError`. */
export function useWebhooks(appId: string) {
  const key = [...webhooksKey, appId];
  const params = { app_id: appId };
  const { data, change, ...list } = useResource(key, "webhooks.list", { params });
  const of = (webhookId: string) => ({ params: { ...params, webhook_id: webhookId } });
  return {
    ...list,
    webhooks: data?.webhooks ?? none,
    /** Returns its id, and the secret, which cannot be read again. */
    async create(body: BodyInputOf<"webhooks.create">): Promise<{ id: string; secret: string }> {
      const { webhook, secret } = await change("webhooks.create", { params, body });
      return { id: webhook.id, secret };
    },
    change: async (id: string, body: BodyInputOf<"webhooks.change">) =>
      await change("webhooks.change", { ...of(id), body }),
    remove: async (id: string) => await change("webhooks.remove", of(id)),
    /** Returns the new secret. */
    rotateSecret: async (id: string): Promise<string> =>
      (await change("webhooks.rotateSecret", of(id))).secret,
  };
}

/** 2 s: how often the list is read again while something in it is being sent. */
const pollMs = 2_000;

/** What was sent to a webhook in the last days, the newest first. */
export function useDeliveries(appId: string, webhookId: string) {
  const key = [...webhooksKey, appId, "deliveries", webhookId];
  const params = { app_id: appId, webhook_id: webhookId };
  const change = useChange([...webhooksKey, appId]);
  const { pages, ...list } = usePages(key, "webhooks.deliveries", (query) => ({ params, query }), {
    pollMs: ({ deliveries }) => (deliveries.some(isBeingSent) ? pollMs : undefined),
  });
  return {
    ...list,
    deliveries: pages.flatMap(({ deliveries }) => deliveries),
    sendTest: async () => await change("webhooks.test", { params }),
    sendAgain: async (id: string) =>
      await change("webhooks.resend", { params: { ...params, delivery_id: id } }),
  };
}

function isBeingSent({ state, next_attempt_at: nextAt }: { state: string; next_attempt_at: string | null }) {
  return state === "pending" && nextAt !== null && Date.parse(nextAt) < Date.now() + 10_000;
}
