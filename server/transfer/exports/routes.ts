import { Readable } from "node:stream";
import { contentDisposition } from "#server/files/serving/serving.ts";
import { FileResponse, type RequestFacts, type Routes, type Visitor } from "#server/lib/route.ts";
import type { ConcurrencyLimiter } from "#server/lib/concurrency-limit.ts";
import type { Exports, ExportStream } from "./exports.ts";
import type { OperatorExports } from "./operator-exports.ts";

/** `limiter` limits concurrent exports. */
export function exportRoutes(
  { exports, operatorExports }: { exports: Exports; operatorExports: Pick<OperatorExports, "list"> },
  limiter: ConcurrencyLimiter,
): Routes<"exports.thread" | "exports.everything" | "exports.byOperator"> {
  return {
    "exports.thread": async ({ visitor, params, query, request }) =>
      answerOf(await exports.thread(visitor, params.thread_id, query.format ?? "json"), visitor, request),
    "exports.everything": ({ visitor, request }) =>
      Promise.resolve(answerOf(exports.everything(visitor), visitor, request)),
    "exports.byOperator": async ({ visitor }) => ({ exports: await operatorExports.list(visitor) }),
  };

  function answerOf(file: ExportStream, visitor: Visitor, request: RequestFacts): FileResponse {
    const headers = {
      "Content-Type": file.contentType,
      "Content-Disposition": contentDisposition(file.filename, true),
      "Cache-Control": "private, no-store, no-transform",
      "X-Content-Type-Options": "nosniff",
      // Tells nginx not to buffer the response.
      "X-Accel-Buffering": "no",
    };
    return new FileResponse(200, headers, () => {
      const release = limiter.take(visitor, request);
      const stream = Readable.from(file.chunks, { objectMode: false });
      return Promise.resolve(stream.once("close", release));
    });
  }
}
