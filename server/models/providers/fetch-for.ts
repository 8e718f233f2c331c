import { ForbiddenAddressError } from "#server/fetch/connect.ts";
import { fetchFromPublicHost, fetchThroughProxy } from "#server/fetch/public-fetch.ts";
import { ModelError } from "../model.ts";
import type { ProviderConnection } from "./requests/provider-api.ts";

/**
 * `fetch` for requests to this server, through the proxy if there is one: fails with `ModelError` "provider-private" if it
 * must be public and is not.
 */
export function fetchFor(
  { isPublicOnly = false, proxy }: ProviderConnection,
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  if (!isPublicOnly && proxy === undefined) return fetch;
  return async (input, init) => {
    const agent = proxy?.agentFor(new URL(input instanceof Request ? input.url : input), isPublicOnly);
    try {
      if (agent !== undefined)
        return await fetchThroughProxy(input, init, { agent, publicOnly: isPublicOnly });
      return await (isPublicOnly ? fetchFromPublicHost : fetch)(input, init);
    } catch (error) {
      throw error instanceof ForbiddenAddressError
        ? new ModelError("provider-private", { cause: error })
        : error;
    }
  };
}
