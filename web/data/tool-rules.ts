import type { BodyInputOf } from "#contract/api.ts";
import { listKey } from "./query-keys.ts";
import { none, useResource } from "./resource.ts";

const key = listKey("toolRules-put");

/** One's own rules for tools. `put` throws `CallError`. */
export function useOwnToolRules() {
  const { data, change, ...loaded } = useResource(key, "toolRules.list", {});
  return {
    ...loaded,
    tools: data?.tools ?? none,
    rules: data?.rules ?? none,
    put: async (body: BodyInputOf<"toolRules.put">) => await change("toolRules.put", { body }),
  };
}

/** The rules of administrators for everybody, groups and assistants. `put` throws `CallError`. */
export function useToolRulesForAll() {
  const { data, change, ...loaded } = useResource([...key, "for-all"], "toolRules.listForAll", {});
  return {
    ...loaded,
    tools: data?.tools ?? none,
    rules: data?.rules ?? none,
    put: async (body: BodyInputOf<"toolRules.putForAll">) => await change("toolRules.putForAll", { body }),
  };
}
