import { AppError } from "../../lib/errors.ts";
import type { AppMiddleware } from "../request-context.ts";
import type { KnownHosts } from "../known-hosts.ts";

/** Load balancers and monitoring send these under any name. */
const probes = new Set(["/healthz", "/livez", "/metrics", "/readyz"]);

/** Refuses requests for a host that is not this server. */
export function refuseUnknownHost(knownHosts: Pick<KnownHosts, "isKnown">): AppMiddleware {
  return async (c, next) => {
    const host = c.req.header("host");
    if (host !== undefined && !probes.has(c.req.path) && !knownHosts.isKnown(host))
      throw new AppError("host-not-allowed", {
        // The operator reads it, in front of a browser that cannot load the app.
        details: [
          {
            path: "headers.Host",
            message: "must be the host of PUBLIC_URL. Set it to the address that people open",
          },
        ],
      });
    await next();
  };
}
