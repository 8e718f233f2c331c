import { useQuery } from "@tanstack/react-query";
import type { Prompt, PromptPut } from "#contract/prompts/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { promptsKey } from "../query-keys.ts";

/** A minute: the feed reports changes only to the tabs of the person who made them. */
const freshMs = 60_000;

const none: Prompt[] = [];

/** The prompts that the person can use, by title. The actions throw `CallError`. */
export function usePrompts() {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: promptsKey,
    queryFn: async ({ signal }) => await call("prompts.list", {}, signal),
    staleTime: freshMs,
  });
  const refresh = async () => await queries.invalidateQueries({ queryKey: promptsKey });
  return {
    ...loadedOf(query),
    prompts: query.data?.prompts ?? none,
    mayShare: query.data?.may_share ?? false,
    /** Without an id, creates a prompt. */
    async save({ title, text, is_shared }: PromptPut, id = newId("prompt")): Promise<void> {
      const body = { title, text, ...(is_shared === undefined ? {} : { is_shared }) };
      await call("prompts.put", { params: { prompt_id: id }, body });
      await refresh();
    },
    async remove(id: string): Promise<void> {
      await call("prompts.remove", { params: { prompt_id: id } });
      await refresh();
    },
  };
}
