import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { anyId, instant, metadata, name, printedInstant, queryFlag, queryNumber, title } from "./shapes.ts";

/** A thread. The first nine fields are the protocol's, the rest our own. */
export const thread = z.object({
  id: z.string(),
  project_id: z.string(),
  workspace_id: z.string(),
  title: z.nullable(z.string()),
  external_id: z.nullable(z.string()),
  created_at: printedInstant,
  updated_at: printedInstant,
  last_message_at: printedInstant,
  is_archived: z.boolean(),
  metadata: z.unknown(),
  title_source: z.nullable(z.enum(["person", "model", "fallback"])),
  is_pinned: z.boolean(),
  deleted_at: z.nullable(printedInstant),
  assistant_id: z.nullable(z.string()),
  model: z.nullable(z.string()),
  /** The newest run that has not ended. */
  active_run_id: z.nullable(z.string()),
  /** Whether some run of it waits for a person to allow or answer a tool call. */
  needs_action: z.boolean(),
});
export type Thread = z.infer<typeof thread>;

export const threadCreate = z.object({
  /** Minted by the client in our own format, or by the server. */
  id: z.optional(anyId),
  last_message_at: instant,
  title: z.optional(title),
  metadata: z.optional(z.nullable(metadata)),
  external_id: z.optional(z.nullable(name)),
  /** With `external_id`: answer the oldest thread of that id instead of making another. */
  upsert: z.optional(z.boolean()),
});

export const threadUpdate = z.object({
  title: z.optional(title),
  last_message_at: z.optional(instant),
  metadata: z.optional(z.nullable(metadata)),
  is_archived: z.optional(z.boolean()),
  is_pinned: z.optional(z.boolean()),
  assistant_id: z.optional(z.nullable(name)),
  model: z.optional(z.nullable(name)),
});

/** The refresh token of the anonymous visitor whose threads are to come along. */
export const claimRequest = z.object({
  refresh_token: z.string().check(z.minLength(1, "must not be empty")),
});

export const claimed = z.object({
  /** How many threads came along, those in the trash not counted. */
  moved: z.number(),
});

export const threadListQuery = z.object({
  is_archived: z.optional(queryFlag),
  limit: z.optional(queryNumber(1, limits.threadPageMax)),
  after: z.optional(anyId),
  external_id: z.optional(anyId),
});
