import { useQuery } from "@tanstack/react-query";
import type { PersonalKey } from "#contract/endpoints/keys.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";
import { readBaseUrl } from "./base-url.ts";

const queryKey = ["personal-keys"];

/** The keys with which the person uses this server in other programs. Changes throw `CallError`. */
export function usePersonalKeys() {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("keys.list", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    keys: query.data?.keys ?? noKeys,
    /** Returns the key itself, which cannot be read again. Without `days` it does not expire. */
    async create(name: string, days?: number): Promise<string> {
      const body = { name, ...(days === undefined ? {} : { expires_in_days: days }) };
      return (await refreshAfter(queries, [queryKey], call("keys.create", { body }))).secret;
    },
    async revoke(id: string) {
      await refreshAfter(queries, [queryKey], call("keys.revoke", { params: { key_id: id } }));
    },
  };
}

const noKeys: PersonalKey[] = [];

/** The base URL that programs made for OpenAI's API need. */
export function programsUrl(): string {
  return new URL(`${readBaseUrl()}/openai/v1`, location.origin).href;
}
