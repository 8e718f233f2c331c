import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";

/** How many threads of whoever was erased were deleted, and how many runs no longer name them. */
export const erased = z.object({ threads: z.number(), runs: z.number() });

export const erasureEndpoints = {
  "erasure.everything": {
    method: "DELETE",
    path: "/v1/everything",
    caller: "visitor",
    summary: "Erase everything that one has here, for good",
    description:
      "Deletes every thread, archive and trash included, and the caller's files, scores and events; answers that are being written stop. Runs stay counted, without their name; so does who they are, and where they are signed in. It cannot be undone. For people of the web app and anonymous visitors: whom an application names, that erases.",
    kind: "json",
    status: 200,
    response: erased,
    errors: ["not-allowed"],
  },
} as const satisfies Endpoints;
