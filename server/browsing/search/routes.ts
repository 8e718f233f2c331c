import type { Routes } from "#server/lib/route.ts";
import { actorOf } from "#server/audit/audit.ts";
import type { WebSearch } from "./web-search.ts";

type Names = "webSearch.get" | "webSearch.put" | "webSearch.remove" | "webSearch.test";

export function webSearchRoutes(webSearch: WebSearch): Routes<Names> {
  return {
    "webSearch.get": async () => ({ settings: await webSearch.settings() }),
    "webSearch.put": async ({ visitor, body, request }) => {
      await webSearch.put(actorOf({ visitor, request }), visitor.role, body);
      return {};
    },
    "webSearch.remove": async ({ visitor, request }) => {
      await webSearch.remove(actorOf({ visitor, request }));
      return {};
    },
    "webSearch.test": async ({ body, request }) => await webSearch.test(body.query, request.signal),
  };
}
