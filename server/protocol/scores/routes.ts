import type { Routes } from "#server/lib/route.ts";
import type { Scores } from "./scores.ts";

type Names = "scores.put" | "messages.feedback" | "messages.withdrawFeedback" | "apps.scores";

export function scoreRoutes(scores: Scores): Routes<Names> {
  return {
    "scores.put": async ({ visitor, body }) => await scores.put(visitor, body),
    "messages.feedback": async ({ visitor, params, body }) =>
      await scores.rate(visitor, params.thread_id, params.message_id, body),
    "messages.withdrawFeedback": async ({ visitor, params }) => {
      await scores.withdrawRating(visitor, params.thread_id, params.message_id);
      return {};
    },
    "apps.scores": async ({ key, query }) => ({ scores: await scores.listOfApp(key, query) }),
  };
}
