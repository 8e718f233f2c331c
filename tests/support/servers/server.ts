import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test as base, vi } from "vitest";
import { apiKey, people } from "#fixtures/people.ts";
import {
  startModelServer,
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest,
} from "#fixtures/model-server/model-server.ts";
import { startServer, type Running } from "#server/app/compose.ts";
import type { StartOptions } from "#server/app/dependencies.ts";
import { readConfig } from "#server/settings/settings.ts";
import type { ToolDefinition } from "#server/tools/tool.ts";
import { builtShareRenderers } from "./built-share-renderers.ts";
import { collectLog, type CollectedLog } from "./collected-log.ts";
import { createManualClock, type ManualClock } from "../manual-clock.ts";
import { addMigratedSqlite, migratedPostgres } from "../postgres/migrated-databases.ts";
import { engines, freshDatabaseUrl, type FreshDatabase } from "../postgres/postgres.ts";
import { bearer, keyHeaders, newAddress, signUp, visitor, type Visitor } from "../clients/visitor.ts";

export type EngineName = (typeof engines)[number];

/** Where a server stores its data. */
export type ServerPlace = { dataDir: string; databaseUrl?: string; remove(): Promise<void> };

/** A place without a database, or with an empty one on PostgreSQL, as for the first start. */
export function emptyPlace(engine: EngineName): Promise<ServerPlace> {
  return placeWith(engine, () => freshDatabaseUrl());
}

/** A place with a migrated database, which is much cheaper than migrating one. */
export async function newPlace(engine: EngineName): Promise<ServerPlace> {
  const place = await placeWith(engine, migratedPostgres);
  if (engine === "sqlite") await addMigratedSqlite(place.dataDir);
  return place;
}

async function placeWith(
  engine: EngineName,
  newPostgres: () => Promise<FreshDatabase>,
): Promise<ServerPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), "parlance-test-"));
  // A stand-in for the built web app.
  const webFolder = join(dataDir, "dist", "web");
  await mkdir(webFolder, { recursive: true });
  await writeFile(
    join(webFolder, "index.html"),
    '<!doctype html><meta name="parlance-base-url" content=""><title>Web app</title>',
  );
  const database = engine === "postgres" ? await newPostgres() : undefined;
  return {
    dataDir,
    ...(database === undefined ? {} : { databaseUrl: database.url }),
    async remove() {
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** For conditions that can only be polled. */
const waitOptions = { timeout: 10_000, interval: 5 };

export type TestServer = Running & {
  url: string;
  place: ServerPlace;
  log: CollectedLog;
  clock: ManualClock;
  /** The stand-in for a model provider. Throws without the option `model`. */
  model: ModelServer;
  /** Waits for a request to the model that contains `words`, and returns all such requests except those for titles. */
  requestsWith(words: string): Promise<RecordedRequest[]>;
  /** Like `requestsWith`, for requests for titles. */
  titleRequestsWith(words: string): Promise<RecordedRequest[]>;
  /** Without a credential. */
  guest: Visitor;
  /** A new guest with their own workspace. */
  anonymous(name?: string): Promise<Visitor>;
  /** A user of another service, which authenticates with its API key. */
  person(name: keyof typeof people): Visitor;
  /** Like `person`, in a new workspace. */
  inNewWorkspace(name?: string): Visitor;
  inWorkspace(workspaceId: string, name?: string): Visitor;
  /** Two users in one new workspace. */
  colleagues(): { ada: Visitor; ben: Visitor };
  /** The owner, signed in by link in the web app. */
  owner(): Promise<Visitor>;
  /** The user of this access token. */
  withToken(token: string): Visitor;
};

export type TestServerOptions = {
  engine: EngineName;
  /** Whether to start a stand-in for a model provider. Without it the built-in assistant answers. */
  model?: boolean | ModelServerOptions;
  /** Environment variables. */
  settings?: Record<string, string>;
  place?: ServerPlace;
  modelTimeouts?: StartOptions["modelTimeouts"];
  heartbeatMs?: number;
  stalledReaderMs?: number;
  bodyMs?: number;
  webhookMs?: number;
  /** What starts the server again to restore a backup. */
  restoration?: StartOptions["restoration"];
  /** Whether passwords are hashed as usual, in 50 ms of a core, and not as cheaply as possible. */
  slowPasswords?: boolean;
  /** How long the messages of a link may be rendered per minute. */
  shareRenderMsPerMinute?: number;
  /** By default, the present sources are built. */
  buildShareRenderers?: () => Promise<string>;
  /** Additional tools. */
  tools?: readonly ToolDefinition[];
  /** Fills the database before the server opens it. */
  seed?: (place: ServerPlace) => Promise<unknown>;
};

let workspaces = 0;
const newWorkspace = (): string => `org_${++workspaces}`;

/** Starts a whole server on a free port, by default with a new database. */
export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const place = options.place ?? (await newPlace(options.engine));
  await options.seed?.(place);
  const { model: asked = false } = options;
  const model = asked === false ? undefined : await startModelServer(asked === true ? {} : asked);
  const log = collectLog();
  const clock = createManualClock();
  const config = readConfig(place.dataDir, settingsOf(place, model, options.settings));
  const running = await startServer(config, {
    logger: log.logger,
    root: place.dataDir,
    clock,
    ...(options.modelTimeouts === undefined ? {} : { modelTimeouts: options.modelTimeouts }),
    ...(options.heartbeatMs === undefined ? {} : { heartbeatMs: options.heartbeatMs }),
    ...(options.stalledReaderMs === undefined ? {} : { stalledReaderMs: options.stalledReaderMs }),
    ...(options.bodyMs === undefined ? {} : { bodyMs: options.bodyMs }),
    ...(options.webhookMs === undefined ? {} : { webhookMs: options.webhookMs }),
    ...(options.restoration === undefined ? {} : { restoration: options.restoration }),
    ...(options.slowPasswords === true ? {} : { passwordCost: { memory: 8, passes: 1 } }),
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    ...(options.shareRenderMsPerMinute === undefined
      ? {}
      : { shareRenderMsPerMinute: options.shareRenderMsPerMinute }),
    buildShareRenderers: options.buildShareRenderers ?? builtShareRenderers,
  });
  const url = `http://127.0.0.1:${running.port}`;
  const keyVisitor = (name: string, workspaceId: string): Visitor =>
    visitor(url, name, keyHeaders(apiKey, { userId: `user_${name}`, workspaceId }));
  const test: TestServer = {
    ...running,
    url,
    place,
    log,
    clock,
    get model() {
      if (model === undefined)
        throw new Error("This server has no model fixture: start it with `model: true`.");
      return model;
    },
    requestsWith: async (words) => await requestsWith(test, words, false),
    titleRequestsWith: async (words) => await requestsWith(test, words, true),
    guest: visitor(url, "guest", {}),
    async anonymous(name = "somebody") {
      return visitor(url, name, { ...bearer((await signUp(url)).access_token), ...newAddress() });
    },
    person: (name) => visitor(url, name, keyHeaders(apiKey, people[name])),
    inNewWorkspace: (name = "ada") => keyVisitor(name, newWorkspace()),
    inWorkspace: (workspaceId, name = "ada") => keyVisitor(name, workspaceId),
    colleagues() {
      const workspaceId = newWorkspace();
      return { ada: keyVisitor("ada", workspaceId), ben: keyVisitor("ben", workspaceId) };
    },
    async owner() {
      const page = { "Parlance-Client": "web", ...newAddress() };
      const opened = await test.guest.send("POST", "/v1/auth/session", {
        headers: { "Content-Type": "application/json", ...page },
        body: JSON.stringify({ owner_secret: running.ownerLink.split("#")[1] }),
      });
      const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
      return visitor(url, "the owner", { ...page, Cookie: cookie });
    },
    withToken: (token) => visitor(url, "somebody", { ...bearer(token), ...newAddress() }),
    async close() {
      await running.close();
      await model?.close();
      if (options.place === undefined) await place.remove();
    },
  };
  return test;
}

async function requestsWith(
  server: TestServer,
  words: string,
  forTitle: boolean,
): Promise<RecordedRequest[]> {
  const escaped = JSON.stringify(words).slice(1, -1);
  const found = () =>
    server.model.requests.filter(({ rawBody }) => {
      // JSON that fetch has sent, so its strings are escaped as here.
      return rawBody.includes(escaped) && rawBody.includes("title of at most") === forTitle;
    });
  await vi.waitFor(() => expect(found().length).toBeGreaterThan(0), waitOptions);
  return found();
}

/** The environment variables of a test server, also for one in a separate process. */
export function settingsOf(
  place: ServerPlace,
  model: ModelServer | undefined,
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: place.dataDir,
    ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
    ...(model === undefined ? {} : { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "fixture-1" }),
    OLLAMA_URL: "off",
    PARLANCE_API_KEY: apiKey,
    PARLANCE_SECRET: "7d1f0b6c3a9e58424c0de1f7b2a6935d",
    // Each visitor sends its own address, so that limits per address do not affect other tests.
    TRUST_PROXY: "1",
    ...more,
  };
}

let serverOfSuite: TestServer | undefined;

/** The server of the suite that runs. */
export const currentServer = (): TestServer => serverOfSuite!;

/**
 * A test in a suite of `describeServer`, with the people that it names as its parameters: Ada in a new workspace, her
 * colleague Ben, the guests Dan and Eve, and the server's owner.
 */
export const test = base
  .extend("ada", () => currentServer().inNewWorkspace())
  .extend("ben", ({ ada }) => currentServer().inWorkspace(ada.headers["Aui-Workspace-Id"]!, "ben"))
  .extend("dan", async () => await currentServer().anonymous("dan"))
  .extend("eve", async () => await currentServer().anonymous("eve"))
  .extend("owner", async () => await currentServer().owner());

/**
 * Runs a suite on every engine, or on those in `on` if the database does not matter. Its tests share one server and use
 * separate workspaces. A test fails if there is a line at level error in the log that it did not take.
 */
export function describeServer(
  name: string,
  options: Omit<TestServerOptions, "engine"> & { on?: readonly EngineName[] },
  suite: (server: () => TestServer, engine: EngineName) => void,
): void {
  const on = engines.filter((engine) => options.on?.includes(engine) ?? true);
  describe.each(on)(`${name} (%s)`, (engine) => {
    let server: TestServer | undefined;
    beforeAll(async () => {
      server = await startTestServer({ ...options, engine });
      serverOfSuite = server;
    });
    afterEach(() => expect(server?.log.takeErrors(), "nothing unexpected in the log").toEqual([]));
    afterAll(async () => {
      await server?.close();
      expect(server?.log.takeErrors(), "nothing unexpected in the log at shutdown").toEqual([]);
    });
    suite(() => server!, engine);
  });
}
