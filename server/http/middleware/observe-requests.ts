import type { Endpoint } from "#contract/endpoint.ts";
import type { AppMiddleware } from "../request-context.ts";
import { loggedPath } from "../logged-path.ts";

/** A request that has ended: its response was sent completely, or the connection was closed. */
export type EndedRequest = {
  requestId: string;
  /** The pattern of the path, or `other`. */
  route: string;
  /** The path without its query. Where the path is a permission itself, its pattern. */
  path: string;
  method: string;
  /** Absent if the client disconnected before the response. */
  status: number | undefined;
  durationMs: number;
  isStream: boolean;
  address: string;
  userAgent: string | undefined;
};

export type RequestObserver = (request: EndedRequest) => void;

/** Paths outside the contract that have a name of their own. */
const ownRoutes = new Set(["/", "/docs", "/healthz", "/livez", "/metrics", "/openapi.json", "/readyz"]);

/** Calls every observer when a request has ended. */
export function observeRequests(observers: readonly RequestObserver[]): AppMiddleware {
  return async (c, next) => {
    const startMs = performance.now();
    const { outgoing } = c.env;
    const { method, path } = c.req;
    outgoing.once("close", () => {
      const endpoint: Endpoint | undefined = c.get("endpoint");
      const contentType = String(outgoing.getHeader("content-type") ?? "");
      const ended: EndedRequest = {
        requestId: c.get("requestId"),
        route: endpoint?.path ?? (ownRoutes.has(path) ? path : "other"),
        path: loggedPath(endpoint, path),
        method,
        status: outgoing.headersSent ? outgoing.statusCode : undefined,
        durationMs: performance.now() - startMs,
        isStream: endpoint !== undefined && isStream(endpoint, contentType),
        address: c.get("address"),
        userAgent: c.req.header("user-agent"),
      };
      for (const observe of observers) observe(ended);
    });
    await next();
  };
}

/** An error of a stream's endpoint is an ordinary JSON response. */
function isStream({ kind, streamsOnRequest, streamsOnField }: Endpoint, contentType: string): boolean {
  const canStream = kind === "events" || kind === "text" || streamsOnRequest || streamsOnField;
  return canStream === true && !contentType.startsWith("application/json");
}
