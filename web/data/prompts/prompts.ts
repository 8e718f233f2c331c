import type { Prompt, PromptPut } from "#contract/prompts/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { listKey } from "../query-keys.ts";
import { none, useResource } from "../resource.ts";

/** A minute: the feed reports changes only to the tabs of the person who made them. */
const staleTime = 60_000;

/** The prompts that the person can use, by title. The actions throw `CallError`. */
export function usePrompts() {
  const { data, change, ...list } = useResource(listKey("prompts-put"), "prompts.list", {}, { staleTime });
  const prompts: Prompt[] = data?.prompts ?? none;
  return {
    ...list,
    prompts,
    mayShare: data?.may_share ?? false,
    /** Without an id, creates a prompt. */
    save: async ({ title, text, is_shared }: PromptPut, id = newId("prompt")) =>
      await change("prompts.put", {
        params: { prompt_id: id },
        body: { title, text, ...(is_shared === undefined ? {} : { is_shared }) },
      }),
    remove: async (id: string) => await change("prompts.remove", { params: { prompt_id: id } }),
  };
}
