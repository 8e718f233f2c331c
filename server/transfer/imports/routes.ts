import type { ImportEvent } from "#contract/endpoints/imports.ts";
import type { EventBatch, RequestFacts, Routes } from "#server/lib/route.ts";
import type { Imports } from "./imports.ts";

/**
 * `baseOf`: the URL of the service, for the URLs of files. `assertWritable` throws if the storage is unavailable:
 * an upload would create the data folder again, although the missing one may come back.
 */
export function importRoutes(
  imports: Imports,
  baseOf: (request: RequestFacts) => string,
  assertWritable: () => void,
): Routes<"imports.add"> {
  return {
    async "imports.add"({ visitor, request, query }) {
      assertWritable();
      return frames(
        await imports.receive(visitor, request, { base: baseOf(request), isPreview: query.preview ?? false }),
      );
    },
  };
}

async function* frames(events: AsyncIterable<ImportEvent>): AsyncGenerator<EventBatch> {
  for await (const event of events) yield [{ json: JSON.stringify(event) }];
}
