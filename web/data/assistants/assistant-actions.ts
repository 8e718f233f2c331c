import type { QueryClient } from "@tanstack/react-query";
import type {
  Assistant,
  AssistantCreate,
  AssistantList,
  AssistantUpdate,
} from "#contract/endpoints/assistants.ts";
import { assistantsKey } from "../query-keys.ts";
import type { Call } from "../call.ts";

/** The owner's actions on assistants. Each throws `CallError`. */
export type AssistantActions = {
  create: (body: AssistantCreate) => Promise<Assistant>;
  update: (id: string, body: AssistantUpdate) => Promise<Assistant>;
  /** Creates a copy at the end of the list. */
  duplicate: (id: string, name: string) => Promise<Assistant>;
  remove: (id: string) => Promise<void>;
  restore: (id: string) => Promise<void>;
  /** An optimistic update, reverted if it fails. */
  reorder: (ids: string[]) => Promise<void>;
};

export function createAssistantActions({
  call,
  queries,
}: {
  call: Call;
  queries: QueryClient;
}): AssistantActions {
  const refresh = async () => await queries.invalidateQueries({ queryKey: assistantsKey });

  async function create(body: AssistantCreate): Promise<Assistant> {
    const { assistant } = await call("assistants.create", { body });
    await refresh();
    return assistant;
  }

  return {
    create,
    async update(id, body) {
      const { assistant } = await call("assistants.update", { params: { assistant_id: id }, body });
      await refresh();
      return assistant;
    },
    async duplicate(id, name) {
      const { assistant, settings } = await call("assistants.get", { params: { assistant_id: id } });
      const { avatar, starters, model } = assistant;
      return await create({ name, avatar, starters, model, ...settings });
    },
    async remove(id) {
      await call("assistants.remove", { params: { assistant_id: id } });
      await refresh();
    },
    async restore(id) {
      await call("assistants.restore", { params: { assistant_id: id } });
      await refresh();
    },
    async reorder(ids) {
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
