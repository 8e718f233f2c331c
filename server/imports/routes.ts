import type { ImportEvent } from "#contract/imports.ts";
import type { EventBatch, RequestFacts, Routes } from "../route.ts";
import type { Imports } from "./imports.ts";

/** `baseOf`: where the service is, for the addresses of files. */
export function importRoutes(
  imports: Imports,
  baseOf: (request: RequestFacts) => string,
): Routes<"imports.add"> {
  return {
    "imports.add": async ({ visitor, request }) =>
      frames(await imports.receive(visitor, request, baseOf(request))),
  };
}

async function* frames(events: AsyncIterable<ImportEvent>): AsyncGenerator<EventBatch> {
  for await (const event of events) yield [{ json: JSON.stringify(event) }];
}
