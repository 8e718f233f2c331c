import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";

/** The number of deleted threads, and of runs that no longer name the user. */
export const erasureResponse = z.object({ threads: z.number(), runs: z.number() });

export const erasureEndpoints = endpoints("visitor", {
  "erasure.everything": {
    request: "DELETE /v1/everything",
    audit: { when: "for people with an account", writes: ["content-erased"] },
    summary: "Permanently erase all of your data",
    description:
      "Deletes all threads, including the archive and the trash, and the caller's files, scores and events. Stops answers in progress. Runs still count towards usage, without the user's name, and what the user has used of a budget stays used. The user and their sessions stay. This cannot be undone. Only for users of the web app and anonymous visitors; a backend erases its own users with `DELETE /v1/projects/users/{user_id}`.",
    response: erasureResponse,
    errors: ["not-allowed"],
  },
});
