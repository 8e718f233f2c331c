import { RateLimiterMemory } from "rate-limiter-flexible";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { spend } from "../lib/rate-limit.ts";

/** Counts a request for its address. Throws `rate-limited` where the endpoint's `requestsPerMinute` is used up. */
export type CountRequest = (name: EndpointName, limitKey: string) => Promise<void>;

/** Keeps the rates that endpoints of the contract name, in this process. */
export function createEndpointRates(): CountRequest {
  const limiters = new Map<EndpointName, RateLimiterMemory>();
  for (const [name, { requestsPerMinute }] of Object.entries(api) as [EndpointName, Endpoint][])
    if (requestsPerMinute !== undefined)
      limiters.set(name, new RateLimiterMemory({ points: requestsPerMinute, duration: 60 }));
  return async (name, limitKey) => {
    const limiter = limiters.get(name);
    if (limiter !== undefined) await spend(limiter, limitKey);
  };
}
