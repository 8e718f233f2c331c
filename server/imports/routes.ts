import type { ImportEvent } from "#contract/imports.ts";
import type { EventBatch, Routes } from "../route.ts";
import type { Imports } from "./imports.ts";

export function importRoutes(imports: Imports): Routes<"imports.add"> {
  return {
    "imports.add": async ({ visitor, request }) => frames(await imports.receive(visitor, request)),
  };
}

async function* frames(events: AsyncIterable<ImportEvent>): AsyncGenerator<EventBatch> {
  for await (const event of events) yield [{ json: JSON.stringify(event) }];
}
