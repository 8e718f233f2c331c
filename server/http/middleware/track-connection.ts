import type { Endpoint } from "#contract/endpoint.ts";
import { AppError } from "../../lib/errors.ts";
import type { EndpointMiddleware } from "../request-context.ts";

/** Notes the endpoint, and aborts the request's signal when the client disconnects, or when `closing` aborts. */
export function trackConnection(endpoint: Endpoint, closing: AbortSignal): EndpointMiddleware {
  return async (c, next) => {
    c.set("endpoint", endpoint);
    const disconnect = new AbortController();
    c.env.outgoing.once("close", () => disconnect.abort(new AppError("client-gone")));
    c.set("disconnect", disconnect);
    c.set("signal", AbortSignal.any([disconnect.signal, closing]));
    await next();
  };
}
