import type { ImportEvent } from "#contract/endpoints/imports.ts";
import { actorOf } from "#server/audit/audit.ts";
import type { EventBatch, RequestFacts, Routes } from "#server/lib/route.ts";
import type { Imports } from "./imports.ts";

/**
 * `baseOf`: the URL of the service, for the URLs of files. `assertWritable` throws if the storage is unavailable:
 * an upload would create the data folder again, although the missing one may come back. `webUrlOf`: where the web app is.
 */
export function importRoutes(
  imports: Imports,
  baseOf: (request: RequestFacts) => string,
  assertWritable: () => void,
  webUrlOf: (request: RequestFacts) => string,
): Routes<"imports.add" | "imports.everyone"> {
  return {
    async "imports.add"({ visitor, request, query }) {
      assertWritable();
      return frames(
        await imports.receive(visitor, request, { base: baseOf(request), isPreview: query.preview ?? false }),
      );
    },
    async "imports.everyone"({ visitor, request, query }) {
      assertWritable();
      const linkOf = (token: string) => `${webUrlOf(request)}/invite#${token}`;
      const everyone = { inviterId: visitor.userId, actor: actorOf({ visitor, request }), linkOf };
      const options = { base: baseOf(request), isPreview: query.preview ?? false, everyone };
      return frames(await imports.receive(visitor, request, options));
    },
  };
}

async function* frames(events: AsyncIterable<ImportEvent>): AsyncGenerator<EventBatch> {
  for await (const event of events) yield [{ json: JSON.stringify(event) }];
}
