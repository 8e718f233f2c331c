import { useQuery, useQueryClient } from "@tanstack/react-query";
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
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";

/** A minute: the feed reports changes only to the owner's own tabs. */
const freshMs = 60_000;

/** The assistants that the user can choose. `mayChange`: the user may edit them. */
export function useAssistants(): Loaded & { assistants: Assistant[]; mayChange: boolean } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: assistantsKey,
    queryFn: async ({ signal }) => await call("assistants.list", {}, signal),
    staleTime: freshMs,
  });
  return {
    ...loadedOf(query),
    assistants: query.data?.assistants ?? none,
    mayChange: query.data?.may_change ?? false,
  };
}

const none: Assistant[] = [];

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
export function useTools(): Loaded & { tools: ToolInfo[] } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: ["tools"],
    queryFn: async ({ signal }) => (await call("tools.list", {}, signal)).tools,
    staleTime: freshMs,
  });
  return { ...loadedOf(query), tools: query.data ?? [] };
}

/** What administrators do with assistants. Each throws `CallError`. */
export function useAssistantActions() {
  const { call } = useServices();
  const queries = useQueryClient();
  const refresh = async () => await queries.invalidateQueries({ queryKey: assistantsKey });

  async function create(body: AssistantCreate): Promise<Assistant> {
    const { assistant } = await call("assistants.create", { body });
    await refresh();
    return assistant;
  }

  return {
    create,
    async update(id: string, body: AssistantUpdate): Promise<Assistant> {
      const { assistant } = await call("assistants.update", { params: { assistant_id: id }, body });
      await refresh();
      return assistant;
    },
    /** Creates a copy at the end of the list. */
    async duplicate(id: string, name: string): Promise<Assistant> {
      const { assistant, settings } = await call("assistants.get", { params: { assistant_id: id } });
      const { avatar, starters, model } = assistant;
      return await create({ name, avatar, starters, model, ...settings });
    },
    async remove(id: string): Promise<void> {
      await call("assistants.remove", { params: { assistant_id: id } });
      await refresh();
    },
    async restore(id: string): Promise<void> {
      await call("assistants.restore", { params: { assistant_id: id } });
      await refresh();
    },
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
