import { useQuery } from "@tanstack/react-query";
import type {
  Assistant,
  AssistantCreate,
  AssistantList,
  AssistantSettings,
  AssistantUpdate,
} from "#contract/endpoints/assistants.ts";
import type { ToolInfo } from "#contract/endpoints/tools.ts";
import { assistantKey, assistantsKey } from "../query-keys.ts";
import { CallError } from "../call-error.ts";
import { failureOf, type Failure } from "../failure.ts";
import { useServices } from "../provider.tsx";
import { none, useChange, useResource } from "../resource.ts";

/** A minute: the feed reports changes only to the owner's own tabs. */
const staleTime = 60_000;

/** The assistants that the user can choose. `mayChange`: the user may edit them. */
export function useAssistants() {
  const { data, ...list } = useResource(assistantsKey, "assistants.list", {}, { staleTime });
  const assistants: Assistant[] = data?.assistants ?? none;
  return { ...list, assistants, mayChange: data?.may_change ?? false };
}

/** An assistant with the settings that only administrators may see; read again whenever it is opened. */
export function useAssistant(id: string): {
  found?: { assistant: Assistant; settings: AssistantSettings };
  state: "loading" | "ready" | "missing" | "failed";
  failure?: Failure;
  retry: () => void;
} {
  const { call } = useServices();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: assistantKey(id),
    queryFn: async ({ signal }) => await call("assistants.get", { params: { assistant_id: id } }, signal),
    // No background refresh, which would overwrite a form that is being edited.
    staleTime: 0,
    gcTime: 0,
  });
  const retry = () => void refetch();
  if (error !== null) {
    const isMissing = error instanceof CallError && error.status === 404;
    return { state: isMissing ? "missing" : "failed", failure: failureOf(error), retry };
  }
  return data === undefined || isFetching
    ? { state: "loading", retry }
    : { found: data, state: "ready", retry };
}

/** The tools that an assistant can use; only for administrators. */
export function useTools() {
  const { data, ...list } = useResource(["tools"], "tools.list", {}, { staleTime });
  const tools: ToolInfo[] = data?.tools ?? none;
  return { ...list, tools };
}

/** What administrators do with assistants. Each throws `CallError`. */
export function useAssistantActions() {
  const { call, queries } = useServices();
  const change = useChange(assistantsKey);
  const params = (id: string) => ({ params: { assistant_id: id } });
  const create = async (body: AssistantCreate): Promise<Assistant> =>
    (await change("assistants.create", { body })).assistant;
  return {
    create,
    update: async (id: string, body: AssistantUpdate): Promise<Assistant> =>
      (await change("assistants.update", { ...params(id), body })).assistant,
    /** Creates a copy at the end of the list. */
    async duplicate(id: string, name: string): Promise<Assistant> {
      const { assistant, settings } = await call("assistants.get", params(id));
      const { avatar, starters, model } = assistant;
      return await create({ name, avatar, starters, model, ...settings });
    },
    remove: async (id: string) => await change("assistants.remove", params(id)),
    restore: async (id: string) => await change("assistants.restore", params(id)),
    /** An optimistic update, reverted if it fails. */
    async reorder(ids: string[]): Promise<void> {
      const before = queries.getQueryData<AssistantList>(assistantsKey);
      queries.setQueryData<AssistantList>(
        assistantsKey,
        (list) =>
          list && {
            ...list,
            assistants: list.assistants.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)),
          },
      );
      try {
        await call("assistants.reorder", { body: { assistant_ids: ids } });
      } catch (error) {
        queries.setQueryData(assistantsKey, before);
        throw error;
      }
    },
  };
}
