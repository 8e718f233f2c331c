import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";

export const suggestionEndpoints = endpoints("visitor", {
  "suggestions.get": {
    request: "POST /v1/threads/{thread_id}/messages/{message_id}/suggestions",
    audit: { none: "no-change" },
    summary: "Get follow-up questions",
    description:
      "Up to three short questions that the person could ask after this answer. The first request for an answer asks a model and stores what it writes; later ones get the same questions. The list is empty if suggestions are not turned on, if a model failed, for answers that are not complete, and for those of the built-in assistant. Only for people who use this server's own app: for users of a backend the list is empty.",
    response: z.object({ suggestions: z.array(z.string()) }),
  },
});
