import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { anyId, described, jsonObject, namedObject, queryNumber, timestamp } from "../endpoints/fields.ts";
import { limits } from "../limits.ts";
import { webhookEvents } from "./webhooks.ts";

const event = z.enum(webhookEvents, `must be one of ${webhookEvents.join(", ")}`);

const fields = {
  url: described(
    z
      .string()
      .check(
        z.minLength(1, "must not be empty"),
        z.maxLength(
          limits.webhookUrlCharacters,
          `must have at most ${limits.webhookUrlCharacters} characters`,
        ),
      ),
    "On port 80 or 443 of a public host, or on one that the operator allows (`FETCH_ALLOWED_HOSTS`). Redirects are not followed.",
  ),
  events: described(
    z
      .array(event)
      .check(
        z.minLength(1, "must have at least one"),
        z.maxLength(webhookEvents.length, "has too many entries"),
      ),
    "Which events are sent. A run that ends sends either `run.ended` or `run.failed`.",
  ),
};

const offReasons = ["person", "failing", "gone", "secret-missing"] as const;

export const webhook = namedObject("Webhook", "Where events are sent to an app's backend.", {
  id: z.string(),
  ...fields,
  is_on: z.boolean(),
  off_reason: described(
    z.nullable(z.enum(offReasons)),
    "Why it is off: a person turned it off, nothing arrived for a day, the target answered 410, or its secret is missing after a restore, so that it needs a new one.",
  ),
  failing_since: described(
    z.nullable(timestamp),
    "Since when no delivery has succeeded; null if the last one did.",
  ),
  former_secret_until: described(
    z.nullable(timestamp),
    "Until when the secret before the last rotation signs too; null if there is none.",
  ),
  created_at: timestamp,
});
export type Webhook = z.infer<typeof webhook>;

const deliveryStates = ["pending", "delivered", "failed"] as const;

/** Why an attempt failed. */
const problems = ["status", "unreachable", "timeout", "not-sent"] as const;

export const webhookDelivery = namedObject("WebhookDelivery", "An event that was sent or is to be sent.", {
  id: described(z.string(), "The `webhook-id` of every attempt."),
  type: described(z.string(), "One of the events, or `webhook.test`."),
  created_at: described(timestamp, "When it happened."),
  data: described(jsonObject, "What the request has in `data`: ids."),
  state: described(z.enum(deliveryStates), "Pending deliveries wait for an attempt."),
  attempts: z.number(),
  last_attempt_at: z.nullable(timestamp),
  next_attempt_at: described(z.nullable(timestamp), "Null unless it is pending."),
  problem: described(
    z.nullable(z.enum(problems)),
    "Why the last attempt failed: the status of the response, no connection or an address that is not allowed, no response in time, or nothing was sent because the webhook was turned off.",
  ),
  response_status: z.nullable(z.number()),
  response_text: described(
    z.nullable(z.string()),
    `The first ${limits.webhookResponseBytes} bytes of the response.`,
  ),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

const newSecret = described(
  z.string(),
  "The secret that signs the requests: `whsec_` and 32 bytes in Base64. It is shown only here.",
);

const common = { caller: "account", permission: "apps.manage" } as const;

export const webhookEndpoints = endpoints(common, {
  "webhooks.list": {
    request: "GET /v1/admin/apps/{app_id}/webhooks",
    summary: "List an app's webhooks",
    description: "Oldest first.",
    response: z.object({ webhooks: z.array(webhook) }),
  },
  "webhooks.create": {
    request: "POST /v1/admin/apps/{app_id}/webhooks",
    audit: "webhook-created",
    summary: "Create a webhook",
    description:
      "It is on at once. What happens in chats of people with an account on this server, and in temporary threads, is not sent.",
    body: z.object(fields),
    status: 201,
    response: z.object({ webhook, secret: newSecret }),
    errors: ["too-many-webhooks", "address-not-allowed", "fetching-off", "secret-not-set"],
    example: { body: { url: "https://shop.example.com/parlance", events: ["run.ended", "run.failed"] } },
  },
  "webhooks.change": {
    request: "PUT /v1/admin/apps/{app_id}/webhooks/{webhook_id}",
    audit: "webhook-changed",
    summary: "Change a webhook, or turn it on or off",
    description: "While it is off, events are not kept. What was pending is not sent.",
    body: z.object({ ...fields, is_on: z.boolean() }),
    response: z.object({ webhook }),
    errors: ["address-not-allowed", "fetching-off"],
    example: {
      body: { url: "https://shop.example.com/parlance", events: ["run.failed"], is_on: true },
    },
  },
  "webhooks.remove": {
    request: "DELETE /v1/admin/apps/{app_id}/webhooks/{webhook_id}",
    audit: "webhook-removed",
    summary: "Delete a webhook",
    description: "With its deliveries. What is pending is not sent.",
  },
  "webhooks.rotateSecret": {
    request: "POST /v1/admin/apps/{app_id}/webhooks/{webhook_id}/secret",
    audit: "webhook-secret-rotated",
    summary: "Create a new secret for a webhook",
    description:
      "For a day, requests have a signature of each of both secrets, so that the backend can change to the new one meanwhile.",
    response: z.object({ webhook, secret: newSecret }),
    errors: ["secret-not-set"],
  },
  "webhooks.test": {
    request: "POST /v1/admin/apps/{app_id}/webhooks/{webhook_id}/test",
    audit: { none: "no-change" },
    summary: "Send a test event",
    description: "Its type is `webhook.test`. It is sent once; the list of deliveries has the result.",
    response: z.object({ delivery_id: z.string() }),
    errors: ["webhook-off"],
  },
  "webhooks.deliveries": {
    request: "GET /v1/admin/apps/{app_id}/webhooks/{webhook_id}/deliveries",
    summary: "List the deliveries of a webhook",
    description:
      "Newest first, of the last seven days. `next` is `after` of the next page; it is null on the last page.",
    query: z.object({
      after: z.optional(anyId),
      limit: z.optional(queryNumber(1, 100)),
    }),
    response: z.object({ deliveries: z.array(webhookDelivery), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "webhooks.resend": {
    request: "POST /v1/admin/apps/{app_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/resend",
    audit: { none: "no-change" },
    summary: "Send a delivery again",
    description: "Once, with the same `webhook-id`, also if it was delivered.",
    errors: ["webhook-off"],
  },
});
