import { createFindProxyPerson } from "../http/proxy-person.ts";
import { join } from "node:path";
import type { EndpointName } from "#contract/api.ts";
import { limits } from "#contract/limits.ts";
import { s3Origin } from "#storage/blobs/s3-location.ts";
import type { Auth } from "../sign-in/auth.ts";
import { owner } from "../apps/first-app.ts";
import type { Origins } from "../apps/origins.ts";
import { createApp } from "../http/app.ts";
import { createBodyMemory } from "../http/body/body-memory.ts";
import { createCookieJar } from "../http/cookie.ts";
import { bodyTimeoutMs, createBodyReader } from "../http/body/endpoint-body.ts";
import { listenForMetrics, serveMetrics } from "../http/metrics-endpoint.ts";
import type { RequestObserver } from "../http/middleware/observe-requests.ts";
import { serveSandboxFrame } from "../http/pages/sandbox-frame.ts";
import { serveReference } from "../http/pages/reference.ts";
import { listen, type Listening } from "../http/serve.ts";
import { serveSharePages } from "../http/sharing/serve-share-pages.ts";
import { createRendererLoader } from "../http/sharing/share-renderer.ts";
import { serveWebApp } from "../http/pages/web-app.ts";
import { basePathOf } from "../settings/base-path.ts";
import { webAppUrl, portOf } from "../settings/urls.ts";
import type { Readiness } from "../lib/readiness.ts";
import type { Logger } from "../lib/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Routes } from "../lib/route.ts";
import { createConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { assertStorageWritable, type StorageState } from "../lib/storage-state.ts";
import type { PublicShares } from "../shares/public-shares.ts";
import { newShareTopic } from "../shares/shares.ts";
import type { OpenAiRoutes } from "../openai/routes.ts";
import { shareFolderOf, type Dependencies } from "./dependencies.ts";

/** Starts the HTTP server with the API, its reference and the web app. Streams end when `closing` aborts. */
export async function composeHttp(
  { config, options, logger, clock, db, knownHosts, metrics, heartbeatMs }: Dependencies,
  modules: {
    auth: Auth;
    origins: Origins;
    routes: Routes<EndpointName> & OpenAiRoutes;
    storage: StorageState;
    sharing: { publicShares: PublicShares };
    readiness: () => Promise<Readiness>;
  },
  closing: AbortSignal,
) {
  const { auth, origins, routes, storage, readiness } = modules;
  let { port } = config;
  const stalledMs = options.stalledReaderMs ?? limits.stalledReaderMs;
  const secure = config.publicUrl?.startsWith("https:") ?? false;
  // The port of the public URL: several servers behind it can each listen on another port.
  const basePath = basePathOf(config.publicUrl);
  const cookies = createCookieJar({ port: () => portOf(config.publicUrl) ?? port, secure, basePath });
  const streamLimiter = createConcurrencyLimiter("too-many-streams", config.concurrency.streams);
  const app = createApp({
    clock,
    routes,
    identify: auth.identify,
    identifyKey: auth.identifyKey,
    identifyPersonalKey: auth.identifyPersonalKey,
    rights: auth.rights,
    watchCredential: auth.watchCredential,
    cookies,
    origins,
    homeAppId: owner.appId,
    knownHosts,
    basePath,
    filesOrigin: config.files.origin,
    publicOrigin: config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin,
    trustProxy: config.trustProxy,
    findProxyPerson: createFindProxyPerson(config.proxySignIn),
    observers: [
      ...(metrics === undefined ? [] : [reportRequest(metrics)]),
      ...(config.accessLog ? [logRequest(logger)] : []),
    ],
    metrics,
    streamLimiter,
    endpointLimiters: {
      "openai.chat": createConcurrencyLimiter("too-many-runs", config.concurrency.runs),
      "openai.embeddings": createConcurrencyLimiter("too-many-runs", config.concurrency.runs),
      "shares.continue": createConcurrencyLimiter("too-many-transfers", { perVisitor: 1, perAddress: 8 }),
      "files.pdfToImages": createConcurrencyLimiter("too-many-pdfs", config.concurrency.pdfs),
    },
    logger,
    closing,
    heartbeatMs,
    stalledMs,
    readBody: createBodyReader({
      memory: createBodyMemory(config.bodyMemory),
      timeoutMs: (bytesMax) => options.bodyMs ?? bodyTimeoutMs(bytesMax),
    }),
    async assertHealthy() {
      assertStorageWritable(storage);
      await db.read.selectFrom("apps").select("id").limit(1).execute();
    },
    readiness,
  });
  const folder = join(options.root, "dist", "web");
  const { baseUrl } = config;
  if (metrics !== undefined && config.metrics.port === undefined)
    serveMetrics(app, metrics, config.metrics.token);
  const loadRenderer = createRendererLoader(async () => await shareFolderOf(options), basePath);
  // So that the first reader does not wait for it. A failure is reported to readers.
  db.pubSub.subscribe(newShareTopic, () => void loadRenderer().catch(() => {}));
  serveSharePages(app as never, {
    shares: modules.sharing.publicShares,
    loadRenderer,
    identify: auth.identify,
    watchCredential: auth.watchCredential,
    cookies,
    clock,
    webUrl: () => webAppUrl(config, port),
    basePath,
    secure,
    streamLimiter,
    heartbeatMs,
    stalledMs,
    logger,
    closing,
    metrics,
  });
  serveSandboxFrame(app as never, { folder });
  serveReference(app as never, { folder, baseUrl, basePath, secure, url: () => webAppUrl(config, port) });
  const fileOrigins = [config.files.origin, config.files.s3 && s3Origin(config.files.s3)].filter(
    (origin) => origin !== undefined,
  );
  serveWebApp(app as never, { folder, baseUrl, basePath, fileOrigins, secure });
  const { host } = config;
  const listening = await listen(app.fetch, { host, port });
  port = listening.port;
  return listening;
}

/** Listens on the metrics' own port, if there is one. */
export async function composeMetricsPort({ config, metrics }: Dependencies): Promise<Listening | undefined> {
  const { port, token } = config.metrics;
  if (metrics === undefined || port === undefined) return undefined;
  return await listenForMetrics(metrics, { host: config.host, port, token });
}

function reportRequest(metrics: Metrics): RequestObserver {
  return ({ isStream, durationMs, ...request }) =>
    metrics.requestEnded({ ...request, durationMs: isStream ? undefined : durationMs });
}

/** The access log. Its lines have no query, which can contain a permission. */
function logRequest(logger: Logger): RequestObserver {
  return ({ durationMs, ...request }) =>
    logger.info({ ...request, durationMs: Math.round(durationMs) }, "request");
}
