import { AppError } from "#server/lib/errors.ts";
import { JsonResponse, type Routes } from "#server/lib/route.ts";
import type { CompactThread } from "./compact-thread.ts";
import type { ReadContext } from "./read-context.ts";

type Names = "summaries.create" | "threads.context";

export type CompactionModules = { compactThread: CompactThread; readContext: ReadContext };

export function compactionRoutes({ compactThread, readContext }: CompactionModules): Routes<Names> {
  return {
    "summaries.create": async ({ visitor, params, body }) => {
      const summary = await compactThread(visitor, params.thread_id, body.head_id);
      if (summary === undefined) throw new AppError("nothing-to-summarize");
      return new JsonResponse({ summary }, { status: 201 });
    },
    "threads.context": async ({ visitor, params, query, request }) =>
      await readContext(visitor, params.thread_id, query, request.signal),
  };
}
