import type { Routes } from "#server/lib/route.ts";
import type { Summaries } from "./summaries.ts";

type Names = "summaries.list" | "summaries.update" | "summaries.remove";

export function summaryRoutes(summaries: Summaries): Routes<Names> {
  return {
    "summaries.list": async ({ visitor, params }) => ({
      summaries: await summaries.list(visitor, params.thread_id),
    }),
    "summaries.update": async ({ visitor, params, body }) => ({
      summary: await summaries.update(visitor, params.thread_id, params.summary_id, body.text),
    }),
    "summaries.remove": async ({ visitor, params }) => {
      await summaries.remove(visitor, params.thread_id, params.summary_id);
      return {};
    },
  };
}
