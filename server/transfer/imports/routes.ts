import type { ImportEvent } from "#contract/endpoints/imports.ts";
import type { EventBatch, RequestFacts, Routes } from "#server/lib/route.ts";
import type { Imports } from "./imports.ts";

/**
 * `baseOf`: where the service is, for the addresses of files. `assertWritable` throws when nothing can be stored: an
 * upload would make the data folder anew, in the way of the one that is to come back.
 */
export function importRoutes(
  imports: Imports,
  baseOf: (request: RequestFacts) => string,
  assertWritable: () => void,
): Routes<"imports.add"> {
  return {
    async "imports.add"({ visitor, request }) {
      assertWritable();
      return frames(await imports.receive(visitor, request, baseOf(request)));
    },
  };
}

async function* frames(events: AsyncIterable<ImportEvent>): AsyncGenerator<EventBatch> {
  for await (const event of events) yield [{ json: JSON.stringify(event) }];
}
