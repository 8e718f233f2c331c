import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Endpoint } from "#contract/endpoint.ts";
import type { Slots } from "../../lib/concurrency-limit.ts";
import { spend } from "../../lib/rate-limit.ts";
import { callerAddress, limitKeyOf } from "../client-address.ts";
import { afterResponse, type EndpointMiddleware } from "../context.ts";

/**
 * Applies the endpoint's `requestsPerMinute`, which this process counts for each network address, and its concurrency limit.
 * Throws `rate-limited` and what `slots.take` throws.
 */
export function limitRequests(
  endpoint: Endpoint,
  slots: Slots | undefined,
  trustProxy: number,
): EndpointMiddleware {
  const limiter =
    endpoint.requestsPerMinute === undefined
      ? undefined
      : new RateLimiterMemory({ points: endpoint.requestsPerMinute, duration: 60 });
  return async (c, next) => {
    const { remoteAddress } = c.env.incoming.socket;
    const limitKey = limitKeyOf(callerAddress(remoteAddress, c.req.header("x-forwarded-for"), trustProxy));
    c.set("limitKey", limitKey);
    if (slots !== undefined) afterResponse(c, slots.take(c.get("caller").visitor, { limitKey }));
    if (limiter !== undefined) await spend(limiter, limitKey);
    await next();
  };
}
