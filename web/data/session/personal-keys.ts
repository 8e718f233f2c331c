import type { PersonalKey } from "#contract/endpoints/keys.ts";
import { none, useResource } from "../resource.ts";
import { readBaseUrl } from "./base-url.ts";

/** The keys with which the person uses this server in other programs. Changes throw `CallError`. */
export function usePersonalKeys() {
  const { data, change, ...list } = useResource(["personal-keys"], "keys.list", {});
  const keys: PersonalKey[] = data?.keys ?? none;
  return {
    ...list,
    keys,
    /** Returns the key itself, which cannot be read again. Without `days` it does not expire. */
    async create(name: string, days?: number): Promise<string> {
      const body = { name, ...(days === undefined ? {} : { expires_in_days: days }) };
      return (await change("keys.create", { body })).secret;
    },
    revoke: async (id: string) => await change("keys.revoke", { params: { key_id: id } }),
  };
}

/** The base URL that programs made for OpenAI's API need. */
export function programsUrl(): string {
  return new URL(`${readBaseUrl()}/openai/v1`, location.origin).href;
}
