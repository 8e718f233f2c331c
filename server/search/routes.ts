import type { Routes } from "../lib/route.ts";
import type { Search } from "./search.ts";

export function searchRoutes(search: Search): Routes<"search.find" | "search.threads"> {
  return {
    "search.find": async ({ visitor, query }) => await search.find(visitor, query),
    "search.threads": async ({ visitor, query }) => await search.findThreads(visitor, query),
  };
}
