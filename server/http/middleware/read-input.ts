import type { Endpoint } from "#contract/endpoint.ts";
import type { ReadBody } from "../body/endpoint-body.ts";
import { afterResponse, type EndpointMiddleware } from "../request-context.ts";
import { validate } from "../validate.ts";

/** Reads and validates the path parameters, the query and the body. */
export function readInput(endpoint: Endpoint, readBody: ReadBody): EndpointMiddleware {
  return async (c, next) => {
    const params = endpoint.params && validate(endpoint.params, c.req.param(), "path");
    const query = endpoint.query && validate(endpoint.query, c.req.query(), "query");
    // A backend with an API key sends the messages of many people from one address.
    const limitKey = c.get("caller").visitor?.kind === "key" ? undefined : c.get("limitKey");
    const { body, release } = await readBody(c.env.incoming, endpoint, limitKey);
    afterResponse(c, release);
    c.set("releaseBody", release);
    c.set("input", { params, query, body });
    await next();
  };
}
