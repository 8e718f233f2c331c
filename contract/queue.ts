import * as z from "zod/mini";
import { anyId, printedInstant } from "./shapes.ts";

/**
 * What a person said while an answer was being written: not a message yet. It becomes one, under the same id, when its
 * turn comes. Its ids are those that its message, reply and run will have.
 */
export const queuedMessage = z.object({
  id: z.string(),
  thread_id: z.string(),
  /** The reply after which it is to be said. Several after the same reply follow each other, and each other's replies. */
  parent_id: z.string(),
  run_id: z.string(),
  reply_id: z.string(),
  /** The model that is to answer. */
  model: z.string(),
  content: z.record(z.string(), z.unknown()),
  /** The answer before it has ended and did not end well: it waits for a person. */
  is_held: z.boolean(),
  created_at: printedInstant,
  updated_at: printedInstant,
});
export type QueuedMessage = z.infer<typeof queuedMessage>;

export const queuedParams = z.object({ thread_id: anyId, queued_id: anyId });
