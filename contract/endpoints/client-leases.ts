import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { anyId, described, namedObject } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

const endReasons = ["done", "cancelled", "error"] as const;

/** Whether an answer is still being written, for readers that cannot follow it. */
export const messageRun = namedObject(
  "MessageRun",
  "The client's lease, or the run of this server, that writes a message.",
  {
    status: described(
      z.enum(["running", "ended"]),
      "running until its writer ends it. A client's lease never expires.",
    ),
    last_heartbeat_ms_ago: described(
      z.number(),
      `How long ago its writer was last heard of, in milliseconds. From ${limits.clientSilenceMs} on, the answer counts as interrupted.`,
    ),
  },
);
export type MessageRun = z.infer<typeof messageRun>;

export const openRun = described(
  z.optional(z.nullable(z.boolean())),
  "If true, opens a lease on the message, because its answer is still being written. Readers then see `run`.",
);

export const holdersLease = described(
  z.optional(z.nullable(anyId)),
  "Writes as the holder of the message's lease, and renews the lease. A POST with it also needs the message's `external_id`.",
);

export const grantedLease = z.object({
  lease_id: described(z.optional(z.string()), "The lease that was opened."),
  heartbeat_interval_ms: described(z.optional(z.number()), "How often its holder sends a heartbeat."),
});

const leaseEnd = z.object({
  reason: described(z.optional(z.nullable(z.enum(endReasons))), "Why the answer ended. Default: done."),
});

export const clientLeaseEndpoints = endpoints("visitor", {
  "clientLeases.heartbeat": {
    request: "POST /v1/threads/{thread_id}/runs/{lease_id}/heartbeat",
    audit: { none: "own-content" },
    summary: "Say that an answer is still being written",
    description:
      "For the client that stored a message with `open_run`. Readers of the message see how long ago its last heartbeat was. A lease does not expire: a heartbeat after a long silence counts again.",
    response: z.object({
      heartbeat_interval_ms: described(z.number(), "When to send the next one."),
    }),
    errors: ["lease-ended"],
  },
  "clientLeases.end": {
    request: "POST /v1/threads/{thread_id}/runs/{lease_id}/end",
    audit: { none: "own-content" },
    summary: "End the lease of a message",
    description: "Afterwards nobody writes with this lease. Repeating the request keeps the first reason.",
    body: leaseEnd,
    example: { body: { reason: "done" } },
  },
});
