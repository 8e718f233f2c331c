import type { BodyInputOf } from "#contract/api.ts";
import type { WebSearchTestResult } from "#contract/web-search/endpoints.ts";
import { useServices } from "../provider.tsx";
import { useResource } from "../resource.ts";

/** The service with which assistants search the web, for administrators. Changes throw `CallError`. */
export function useWebSearch() {
  const { call } = useServices();
  const { data: stored, change, ...loaded } = useResource(["web-search"], "webSearch.get", {});
  return {
    ...loaded,
    stored,
    save: async (body: BodyInputOf<"webSearch.put">) => await change("webSearch.put", { body }),
    remove: async () => await change("webSearch.remove", {}),
    test: async (query: string): Promise<WebSearchTestResult> =>
      await call("webSearch.test", { body: { query } }),
  };
}
