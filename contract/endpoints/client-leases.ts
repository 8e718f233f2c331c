import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, emptyObject } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

const endReasons = ["done", "cancelled", "error"] as const;

/** Whether an answer is still being written, for readers that cannot follow it. */
export const messageRun = z
  .object({
    status: z
      .enum(["running", "ended"])
      .check(z.describe("running until its writer ends it. A client's lease never expires.")),
    last_heartbeat_ms_ago: z
      .number()
      .check(
        z.describe(
          `How long ago its writer was last heard of, in milliseconds. From ${limits.clientSilenceMs} on, the answer counts as interrupted.`,
        ),
      ),
  })
  .check(
    z.meta({
      id: "MessageRun",
      description: "The client's lease, or the run of this server, that writes a message.",
    }),
  );
export type MessageRun = z.infer<typeof messageRun>;

export const openRun = z
  .optional(z.nullable(z.boolean()))
  .check(
    z.describe(
      "If true, opens a lease on the message, because its answer is still being written. Readers then see `run`.",
    ),
  );

export const holdersLease = z
  .optional(z.nullable(anyId))
  .check(
    z.describe(
      "Writes as the holder of the message's lease, and renews the lease. A POST with it also needs the message's `external_id`.",
    ),
  );

export const grantedLease = z.object({
  lease_id: z.optional(z.string()).check(z.describe("The lease that was opened.")),
  heartbeat_interval_ms: z.optional(z.number()).check(z.describe("How often its holder sends a heartbeat.")),
});

const leaseParams = z.object({ thread_id: anyId, lease_id: anyId });

const leaseEnd = z.object({
  reason: z
    .optional(z.nullable(z.enum(endReasons)))
    .check(z.describe("Why the answer ended. Default: done.")),
});

export const clientLeaseEndpoints = {
  "clientLeases.heartbeat": {
    method: "POST",
    path: "/v1/threads/{thread_id}/runs/{lease_id}/heartbeat",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Say that an answer is still being written",
    description:
      "For the client that stored a message with `open_run`. Readers of the message see how long ago its last heartbeat was. A lease does not expire: a heartbeat after a long silence counts again.",
    params: leaseParams,
    kind: "json",
    status: 200,
    response: z.object({
      heartbeat_interval_ms: z.number().check(z.describe("When to send the next one.")),
    }),
    errors: ["lease-ended"],
  },
  "clientLeases.end": {
    method: "POST",
    path: "/v1/threads/{thread_id}/runs/{lease_id}/end",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "End the lease of a message",
    description: "Afterwards nobody writes with this lease. Repeating the request keeps the first reason.",
    params: leaseParams,
    body: leaseEnd,
    kind: "json",
    status: 200,
    response: emptyObject,
    example: { body: { reason: "done" } },
  },
} as const satisfies Endpoints;
