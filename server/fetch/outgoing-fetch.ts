import type { OutgoingProxy } from "./outgoing-proxy.ts";
import { fetchFromPublicHost, fetchThroughProxy } from "./public-fetch.ts";

/**
 * `fetch` through the proxy if there is one. `isPublicOnly`: rejects with `ForbiddenAddressError` for a server that is not
 * on the public internet.
 */
export function createOutgoingFetch(
  { isPublicOnly = false, proxy }: { isPublicOnly?: boolean | undefined; proxy?: OutgoingProxy | undefined },
  fetch: typeof globalThis.fetch = globalThis.fetch,
): typeof globalThis.fetch {
  return async (input, init) => {
    const agent = proxy?.agentFor(new URL(input instanceof Request ? input.url : input), isPublicOnly);
    if (agent !== undefined) return await fetchThroughProxy(input, init, { agent, publicOnly: isPublicOnly });
    return await (isPublicOnly ? fetchFromPublicHost : fetch)(input, init);
  };
}
