import { ForbiddenAddressError } from "#server/fetch/connect.ts";
import { createOutgoingFetch } from "#server/fetch/outgoing-fetch.ts";
import { ModelError } from "../model.ts";
import type { ProviderConnection } from "./requests/provider-api.ts";

/**
 * `fetch` for requests to this server, through the proxy if there is one: fails with `ModelError` "provider-private" if it
 * must be public and is not.
 */
export function fetchFor(
  connection: ProviderConnection,
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  const outgoing = createOutgoingFetch(connection, fetch);
  return async (input, init) => {
    try {
      return await outgoing(input, init);
    } catch (error) {
      throw error instanceof ForbiddenAddressError
        ? new ModelError("provider-private", { cause: error })
        : error;
    }
  };
}
