import { ForbiddenAddressError } from "#server/fetch/connect.ts";
import { fetchFromPublicHost } from "#server/fetch/public-fetch.ts";
import { ModelError } from "../model.ts";
import type { ProviderConnection } from "./requests/provider-api.ts";

/** `fetch` for requests to this server: fails with `ModelError` "provider-private" if it must be public and is not. */
export function fetchFor(
  { isPublicOnly }: ProviderConnection,
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  if (isPublicOnly !== true) return fetch;
  return async (input, init) => {
    try {
      return await fetchFromPublicHost(input, init);
    } catch (error) {
      throw error instanceof ForbiddenAddressError
        ? new ModelError("provider-private", { cause: error })
        : error;
    }
  };
}
