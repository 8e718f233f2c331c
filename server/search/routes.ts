import type { Routes } from "../lib/route.ts";
import type { Search } from "./search.ts";

export function searchRoutes(search: Search): Routes<"search.find"> {
  return { "search.find": async ({ visitor, query }) => await search.find(visitor, query) };
}
