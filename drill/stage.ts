import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiKey } from "#fixtures/people.ts";
import { startRoundRobin } from "#fixtures/round-robin/round-robin.ts";
import { createCuttableProxy, type CuttableProxy } from "#storage/testing/cuttable-proxy.ts";
import { createCluster, freePort, type Cluster } from "#tests/support/postgres-cluster.ts";
import { findPostgresPrograms } from "#tests/support/postgres-programs.ts";
import { startModelProcess } from "./support/model-process.ts";
import { serverProcess, type ServerProcess } from "./support/server-process.ts";

export type EngineName = "sqlite" | "postgres";

/** Everything a drill plays on: real servers in processes of their own, a database, a model, and roads to cut. */
export type Stage = {
  engine: EngineName;
  servers: ServerProcess[];
  /** Where people go. */
  url: string;
  /** Between people and servers, and between servers and the model. */
  readersProxy: CuttableProxy;
  modelProxy: CuttableProxy;
  /** The options of `openDatabase`. */
  place: { dataDir: string; databaseUrl?: string };
  /** The PostgreSQL, where there is one. */
  cluster: Cluster | undefined;
  /** From now on the clock of this server's process is ahead of the machine's by so much, or behind. */
  moveClock(server: ServerProcess, aheadMs: number): void;
  /** Ends everything. */
  strike(): Promise<void>;
};

export type StageOptions = {
  engine: EngineName;
  servers: number;
  /** A folder for the data, PostgreSQL's too; one of its own where absent. */
  dataDir?: string;
  hasMovableClock?: boolean;
};

const movableClock = new URL("./support/movable-clock.mjs", import.meta.url).href;

/** Builds the stage and starts its servers. */
export async function buildStage(options: StageOptions): Promise<Stage> {
  const undo: (() => unknown)[] = [];
  const strike = async (): Promise<void> => {
    for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
  };
  try {
    const stage = await build(options, undo);
    return { ...stage, strike };
  } catch (error) {
    await strike();
    throw error;
  }
}

async function build(options: StageOptions, undo: (() => unknown)[]): Promise<Omit<Stage, "strike">> {
  const { engine } = options;
  const folder = mkdtempSync(join(tmpdir(), "parlance-drill-"));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = engine === "postgres" ? await startCluster(undo, options.dataDir) : undefined;
  const place = {
    dataDir: options.dataDir ?? folder,
    ...(cluster === undefined ? {} : { databaseUrl: cluster.url }),
  };
  const model = await startModelProcess();
  undo.push(model.close);
  const modelProxy = await createCuttableProxy(model.url);
  undo.push(modelProxy.close);

  const clockFile = join(folder, "clock");
  const servers: ServerProcess[] = [];
  for (let number = 0; number < options.servers; number++) {
    writeFileSync(`${clockFile}${number}`, "0");
    const server = serverProcess(
      {
        PORT: String(await freePort()),
        HOST: "127.0.0.1",
        DATA_DIR: place.dataDir,
        ...(cluster === undefined ? {} : { DATABASE_URL: cluster.url }),
        OPENAI_BASE_URL: modelProxy.url,
        OPENAI_MODEL: "fixture-1",
        OLLAMA_URL: "off",
        PARLANCE_API_KEY: apiKey,
        PARLANCE_SECRET: "a secret for drills that is long enough",
        LOG_LEVEL: "warn",
        // Shorter than many answers, so that they are handed over.
        SHUTDOWN_GRACE_SECONDS: "1",
        ...(options.hasMovableClock === true ? { DRILL_CLOCK: `${clockFile}${number}` } : {}),
      },
      options.hasMovableClock === true ? movableClock : undefined,
    );
    undo.push(async () => await server.end("SIGKILL"));
    await server.start();
    servers.push(server);
  }
  const front = await startRoundRobin(servers.map(({ url }) => url));
  undo.push(front.close);
  const readersProxy = await createCuttableProxy(front.url);
  undo.push(readersProxy.close);
  return {
    engine,
    servers,
    url: readersProxy.url.replace(/\/$/, ""),
    readersProxy,
    modelProxy,
    place,
    cluster,
    moveClock(server, aheadMs) {
      writeFileSync(`${clockFile}${servers.indexOf(server)}`, String(aheadMs));
      server.tell("SIGUSR2");
    },
  };
}

async function startCluster(undo: (() => unknown)[], under: string | undefined): Promise<Cluster> {
  const programs = findPostgresPrograms();
  if (programs === undefined) throw new Error("There is no PostgreSQL here.");
  // Acknowledged commits are written, as by default in PostgreSQL. These drills have no power cut.
  // On a small disk its own log is kept short.
  const short = under === undefined ? {} : { min_wal_size: "32MB", max_wal_size: "64MB" };
  const cluster = await createCluster(programs.folder, { synchronous_commit: "on", ...short }, under);
  undo.push(() => cluster.remove());
  const end = async (): Promise<void> => await cluster.end("SIGQUIT");
  const endAtExit = (): void => void end();
  process.once("exit", endAtExit);
  undo.push(() => process.off("exit", endAtExit));
  undo.push(end);
  await cluster.start();
  return cluster;
}
