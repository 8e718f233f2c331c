import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Endpoint } from "#contract/endpoint.ts";
import { limits } from "#contract/limits.ts";
import type { ConcurrencyLimiter } from "../../lib/concurrency-limit.ts";
import { spend } from "../../lib/rate-limit.ts";
import { limitKeyOf } from "../client-address.ts";
import { afterResponse, type EndpointContext, type EndpointMiddleware } from "../context.ts";

/** Counts the requests of guests that store text, over all endpoints. Throws `rate-limited`. */
export type SpendWrite = (c: EndpointContext, endpoint: Endpoint, limitKey: string) => Promise<void>;

/**
 * Applies the endpoint's `requestsPerMinute`, which this process counts for each network address, the limit of what
 * guests may write, and its concurrency limit. Throws `rate-limited` and what `concurrency` throws.
 */
export function limitRequests(
  endpoint: Endpoint,
  concurrency: ConcurrencyLimiter | undefined,
  spendWrite: SpendWrite,
): EndpointMiddleware {
  const limiter =
    endpoint.requestsPerMinute === undefined
      ? undefined
      : new RateLimiterMemory({ points: endpoint.requestsPerMinute, duration: 60 });
  return async (c, next) => {
    const limitKey = limitKeyOf(c.get("address"));
    c.set("limitKey", limitKey);
    if (concurrency !== undefined) afterResponse(c, concurrency.take(c.get("caller").visitor, { limitKey }));
    if (limiter !== undefined) await spend(limiter, limitKey);
    if (endpoint.isWrite === true) await spendWrite(c, endpoint, limitKey);
    await next();
  };
}

export function createSpendWrite(): SpendWrite {
  const perGuest = new RateLimiterMemory({ points: limits.guestWritesPerMinute, duration: 60 });
  // A guest can sign up again with a new id, but not easily from a new address.
  const perAddress = new RateLimiterMemory({ points: limits.guestWritesPerMinuteAndAddress, duration: 60 });
  return async (c, endpoint, limitKey) => {
    const { visitor } = c.get("caller");
    if (visitor?.kind !== "anonymous") return;
    const sizeBytes = Number(c.req.header("content-length") ?? endpoint.bodyBytesMax ?? 0);
    // At most the whole limit: the body size has its own limit, and its own error.
    const points = Math.min(1 + Math.floor(sizeBytes / limits.guestWriteBytes), limits.guestWritesPerMinute);
    await spend(perGuest, visitor.userId, points);
    await spend(perAddress, limitKey, points);
  };
}
