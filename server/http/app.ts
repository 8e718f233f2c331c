import { Hono } from "hono";
import { api, type EndpointName } from "#contract/api.ts";
import { openAiEndpoints, type OpenAiEndpointName } from "#contract/endpoints/openai.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { newId } from "#contract/ids.ts";
import type { ConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { AppError } from "../lib/errors.ts";
import type { Readiness } from "../lib/readiness.ts";
import type { Routes } from "../lib/route.ts";
import type { OpenAiRoutes } from "../openai/routes.ts";
import type { ReadBody } from "./body/endpoint-body.ts";
import { drain } from "./body/read-bytes.ts";
import { callerAddress } from "./client-address.ts";
import type { AppEnv, AppMiddleware } from "./request-context.ts";
import { authenticate, type AuthenticateOptions } from "./middleware/authenticate.ts";
import { checkOrigin, cors, type CorsOptions } from "./middleware/cors.ts";
import { redirectToFilesOrigin, refuseOnFilesOrigin } from "./middleware/files-origin.ts";
import { refuseUnknownHost } from "./middleware/known-host.ts";
import { createSpendWrite, limitRequests } from "./middleware/limit-requests.ts";
import { observeRequests, type RequestObserver } from "./middleware/observe-requests.ts";
import { readInput } from "./middleware/read-input.ts";
import { trackConnection } from "./middleware/track-connection.ts";
import { createErrorHandler, type ErrorLogOptions } from "./error-response.ts";
import type { SteadyClock } from "../lib/clock.ts";
import type { KnownHosts } from "./known-hosts.ts";
import { callRoute, type RouteOptions } from "./call-route.ts";

export type AppOptions = {
  clock: SteadyClock;
  routes: Routes<EndpointName> & OpenAiRoutes;
  knownHosts: Pick<KnownHosts, "isKnown">;
  /** The path below which people reach the server, such as `/chat`; "" for none. Requests may also come without it. */
  basePath: string;
  /** The origin that serves only files, if there is one. */
  filesOrigin: string | undefined;
  trustProxy: number;
  /** Called when a request has ended. */
  observers: readonly RequestObserver[];
  /** Concurrency limits for endpoints with expensive work. */
  endpointLimiters: Partial<Record<EndpointName | OpenAiEndpointName, ConcurrencyLimiter>>;
  readBody: ReadBody;
  /** Throws if the service cannot work now. */
  assertHealthy(): Promise<void>;
  readiness(): Promise<Readiness>;
} & AuthenticateOptions &
  CorsOptions &
  ErrorLogOptions &
  RouteOptions;

/** The HTTP API: every endpoint of the contract and of OpenAI's API with its module's function, and the probes. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const { basePath } = options;
  const app = new Hono<AppEnv>({ getPath: (request) => withoutBase(undecodedPath(request), basePath) });
  app.onError(createErrorHandler(options));
  app.use(identifyRequest(options));
  if (options.observers.length > 0) app.use(observeRequests(options.observers));
  app.use(refuseUnknownHost(options.knownHosts));
  app.use(refuseOnFilesOrigin(options.filesOrigin), cors(options));
  app.use(redirectToFilesOrigin(options.filesOrigin));
  app.get("/healthz", async (c) => {
    await options.assertHealthy();
    return c.json({ ok: true }, 200, uncached);
  });
  app.get("/livez", (c) => c.json({ ok: true }, 200, uncached));
  app.get("/readyz", async (c) => {
    const readiness = await options.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503, uncached);
  });
  const spendWrite = createSpendWrite(options.clock);
  for (const [name, endpoint] of Object.entries(allEndpoints) as [keyof typeof allEndpoints, Endpoint][])
    app.on(
      endpoint.method,
      endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      trackConnection(endpoint, options.closing),
      authenticate(endpoint, options),
      checkOrigin(endpoint, options),
      limitRequests(endpoint, options.endpointLimiters[name], spendWrite, options.clock),
      // Only now: strangers and callers over their limit cannot make the server read a body.
      readInput(endpoint, options.readBody),
      callRoute(name, endpoint, options),
    );
  app.on("ALL", ["/v1/*", "/openai/*"], (c) => {
    const allowed = methodsOf(c.req.path);
    if (allowed.length === 0) throw new AppError("not-found");
    throw new AppError("method-not-allowed", { headers: { Allow: allowed.join(", ") } });
  });
  return app;
}

const allEndpoints = { ...api, ...openAiEndpoints };

const proxyWarning =
  "A request has the header X-Forwarded-For, but TRUST_PROXY is 0. If there is a proxy in front of this server, all people share one address and its limits, also those of shared links: set TRUST_PROXY to the number of proxies.";

const uncached = { "Cache-Control": "no-store" };

/** Gives the request its id, and notes the address that it comes from. */
function identifyRequest({ trustProxy, logger }: Pick<AppOptions, "trustProxy" | "logger">): AppMiddleware {
  let isWarned = trustProxy > 0;
  return async (c, next) => {
    const { incoming, outgoing } = c.env;
    outgoing.prependOnceListener("finish", () => void drain(incoming));
    c.set("requestId", newId("request"));
    const { remoteAddress } = incoming.socket;
    const forwardedFor = c.req.header("x-forwarded-for");
    if (!isWarned && forwardedFor !== undefined) {
      isWarned = true;
      logger.warn(proxyWarning);
    }
    c.set("address", callerAddress(remoteAddress, forwardedFor, trustProxy));
    await next();
  };
}

/** The request's path without decoding, so that `%2F` stays within its segment. */
function undecodedPath(request: Request): string {
  const start = request.url.indexOf("/", request.url.indexOf(":") + 4);
  const end = request.url.slice(start).search(/[?#]/);
  return end === -1 ? request.url.slice(start) : request.url.slice(start, start + end);
}

/** A path of the server. A proxy passes on the base path, or removes it. */
function withoutBase(path: string, basePath: string): string {
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}

function methodsOf(path: string): string[] {
  const endpoints: Endpoint[] = Object.values(allEndpoints);
  return endpoints
    .filter((endpoint) => new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .map((endpoint) => endpoint.method);
}
