import type { Endpoint } from "#contract/endpoint.ts";
import { limits } from "#contract/limits.ts";
import type { ConcurrencyLimiter } from "../../lib/concurrency-limit.ts";
import type { SteadyClock } from "../../lib/clock.ts";
import { createRateLimiter } from "../../lib/rate-limit.ts";
import { limitKeyOf } from "../client-address.ts";
import { afterResponse, type EndpointContext, type EndpointMiddleware } from "../request-context.ts";

/** Counts the requests of guests that store text, over all endpoints. Throws `rate-limited`. */
export type SpendWrite = (c: EndpointContext, endpoint: Endpoint, limitKey: string) => void;

/**
 * Applies the endpoint's `requestsPerMinute`, which this process counts for each network address, the limit of what
 * guests may write, and its concurrency limit. Throws `rate-limited` and what `concurrency` throws.
 */
export function limitRequests(
  endpoint: Endpoint,
  concurrency: ConcurrencyLimiter | undefined,
  spendWrite: SpendWrite,
  clock: SteadyClock,
): EndpointMiddleware {
  const limiter =
    endpoint.requestsPerMinute === undefined
      ? undefined
      : createRateLimiter({ clock, points: endpoint.requestsPerMinute, seconds: 60 });
  return async (c, next) => {
    const limitKey = limitKeyOf(c.get("address"));
    c.set("limitKey", limitKey);
    if (concurrency !== undefined) afterResponse(c, concurrency.take(c.get("caller").visitor, { limitKey }));
    if (limiter !== undefined) limiter.spend(limitKey);
    if (endpoint.isWrite === true) spendWrite(c, endpoint, limitKey);
    await next();
  };
}

export function createSpendWrite(clock: SteadyClock): SpendWrite {
  const perGuest = createRateLimiter({ clock, points: limits.guestWritesPerMinute, seconds: 60 });
  // A guest can sign up again with a new id, but not easily from a new address.
  const perAddress = createRateLimiter({ clock, points: limits.guestWritesPerMinuteAndAddress, seconds: 60 });
  return (c, endpoint, limitKey) => {
    const { visitor } = c.get("caller");
    if (visitor?.kind !== "anonymous") return;
    const sizeBytes = Number(c.req.header("content-length") ?? endpoint.bodyBytesMax ?? 0);
    // At most the whole limit: the body size has its own limit, and its own error.
    const points = Math.min(1 + Math.floor(sizeBytes / limits.guestWriteBytes), limits.guestWritesPerMinute);
    perGuest.spend(visitor.userId, points);
    perAddress.spend(limitKey, points);
  };
}
