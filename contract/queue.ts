import * as z from "zod/mini";
import { anyId, printedInstant } from "./shapes.ts";

/**
 * What a person said while an answer was being written: not a message yet. It becomes one, under the same id, when its
 * turn comes. Its ids are those that its message, reply and run will have.
 */
export const queuedMessage = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    parent_id: z
      .string()
      .check(
        z.describe(
          "The reply after which it is to be said. Several after the same reply follow each other, and each other's replies.",
        ),
      ),
    run_id: z.string(),
    reply_id: z.string(),
    assistant_id: z.string().check(z.describe("The assistant that is to answer.")),
    model: z.string().check(z.describe("The model that is to answer.")),
    content: z.record(z.string(), z.unknown()),
    is_held: z
      .boolean()
      .check(z.describe("The answer before it has ended and did not end well: it waits for a person.")),
    created_at: printedInstant,
    updated_at: printedInstant,
  })
  .check(
    z.meta({
      id: "QueuedMessage",
      description: "What a person said while an answer was being written: not a message yet.",
    }),
  );
export type QueuedMessage = z.infer<typeof queuedMessage>;

export const queuedParams = z.object({ thread_id: anyId, queued_id: anyId });
