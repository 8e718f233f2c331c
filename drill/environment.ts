import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiKey } from "#fixtures/people.ts";
import { startRoundRobin } from "#fixtures/round-robin/round-robin.ts";
import { createCuttableProxy, type CuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { createCluster, freePort, type Cluster } from "#tests/support/postgres/postgres-cluster.ts";
import { findPostgresPrograms } from "#tests/support/postgres/postgres-programs.ts";
import { startModelProcess } from "./support/model-process.ts";
import { serverProcess, type ServerProcess } from "./support/server-process.ts";

export type EngineName = "sqlite" | "postgres";

/** What a drill runs on: real servers in separate processes, a database, a model, and proxies that cut connections. */
export type Environment = {
  engine: EngineName;
  servers: ServerProcess[];
  /** Where users connect: the proxy before the load balancer. */
  url: string;
  /** Between users and servers, and between servers and the model. */
  readersProxy: CuttableProxy;
  modelProxy: CuttableProxy;
  /** The options of `openDatabase`. */
  databaseOptions: { dataDir: string; databaseUrl?: string };
  /** Absent on SQLite. */
  cluster: Cluster | undefined;
  /** Sets how far the clock of this server's process is ahead of the machine's; negative is behind. */
  moveClock(server: ServerProcess, offsetMs: number): void;
  /** Stops every process and deletes the data. */
  close(): Promise<void>;
};

export type EnvironmentOptions = {
  engine: EngineName;
  servers: number;
  /** The folder of the data, including PostgreSQL's; a temporary one by default. */
  dataDir?: string;
  hasMovableClock?: boolean;
};

const movableClock = new URL("./support/movable-clock.mjs", import.meta.url).href;

export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const cleanups: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (let last = cleanups.pop(); last !== undefined; last = cleanups.pop()) await last();
  };
  try {
    const environment = await start(options, cleanups);
    return { ...environment, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: EnvironmentOptions,
  cleanups: (() => unknown)[],
): Promise<Omit<Environment, "close">> {
  const { engine } = options;
  const folder = mkdtempSync(join(tmpdir(), "parlance-drill-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = engine === "postgres" ? await startCluster(cleanups, options.dataDir) : undefined;
  const databaseOptions = {
    dataDir: options.dataDir ?? folder,
    ...(cluster === undefined ? {} : { databaseUrl: cluster.url }),
  };
  const model = await startModelProcess();
  cleanups.push(model.close);
  const modelProxy = await createCuttableProxy(model.url);
  cleanups.push(modelProxy.close);

  const clockFile = join(folder, "clock");
  const servers: ServerProcess[] = [];
  for (let number = 0; number < options.servers; number++) {
    writeFileSync(`${clockFile}${number}`, "0");
    const server = serverProcess(
      {
        PORT: String(await freePort()),
        HOST: "127.0.0.1",
        DATA_DIR: databaseOptions.dataDir,
        ...(cluster === undefined ? {} : { DATABASE_URL: cluster.url }),
        OPENAI_BASE_URL: modelProxy.url,
        OPENAI_MODEL: "fixture-1",
        OLLAMA_URL: "off",
        PARLANCE_API_KEY: apiKey,
        PARLANCE_SECRET: "a secret for drills that is long enough",
        LOG_LEVEL: "warn",
        // Shorter than many answers, so that a stopping server hands some over.
        SHUTDOWN_GRACE_SECONDS: "1",
        ...(options.hasMovableClock === true ? { DRILL_CLOCK: `${clockFile}${number}` } : {}),
      },
      options.hasMovableClock === true ? movableClock : undefined,
    );
    cleanups.push(async () => await server.end("SIGKILL"));
    await server.start();
    servers.push(server);
  }
  const loadBalancer = await startRoundRobin(servers.map(({ url }) => url));
  cleanups.push(loadBalancer.close);
  const readersProxy = await createCuttableProxy(loadBalancer.url);
  cleanups.push(readersProxy.close);
  return {
    engine,
    servers,
    url: readersProxy.url.replace(/\/$/, ""),
    readersProxy,
    modelProxy,
    databaseOptions,
    cluster,
    moveClock(server, offsetMs) {
      writeFileSync(`${clockFile}${servers.indexOf(server)}`, String(offsetMs));
      server.signal("SIGUSR2");
    },
  };
}

async function startCluster(cleanups: (() => unknown)[], parentFolder: string | undefined): Promise<Cluster> {
  const programs = findPostgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed.");
  // On a small disk the write-ahead log must stay small.
  const walLimits = parentFolder === undefined ? {} : { min_wal_size: "32MB", max_wal_size: "64MB" };
  const cluster = await createCluster(
    programs.folder,
    { synchronous_commit: "on", ...walLimits },
    parentFolder,
  );
  cleanups.push(() => cluster.remove());
  const end = async (): Promise<void> => await cluster.end("SIGQUIT");
  const killAtExit = (): void => void end();
  process.once("exit", killAtExit);
  cleanups.push(() => process.off("exit", killAtExit));
  cleanups.push(end);
  await cluster.start();
  return cluster;
}
