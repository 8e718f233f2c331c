import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Observations } from "./run-client.ts";
import type { RunEndState } from "#contract/run-events.ts";
import type { ServerProcess } from "./support/server-process.ts";
import type { Random } from "#fixtures/random.ts";
import type { EngineName, Environment } from "./environment.ts";
import { findPostgresPrograms } from "#tests/support/postgres/postgres-programs.ts";

/** One kind of fault, injected repeatedly while users ask and read. */
export type Drill = {
  about: string;
  engines: readonly EngineName[];
  servers: number;
  hasMovableClock?: true;
  /** How runs may end in this drill, apart from completed and stopped. */
  allowedEnds: readonly RunEndState[];
  /** Why the drill cannot run on this machine; undefined if it can. */
  unavailable?(): string | undefined;
  /** Creates the folder of the data; by default it is a temporary one. */
  dataFolder?(): { path: string; remove(): void };
  /** Injects one fault and waits until it is over. */
  injectFault(environment: Environment, random: Random, observed: Observations): Promise<void>;
};

const bothEngines = ["sqlite", "postgres"] as const;
const hourMs = 3_600_000;

/** How far the clock of each server is moved now. */
const clockOffsetsMs = new WeakMap<ServerProcess, number>();

export const drills: Record<string, Drill> = {
  kill: {
    about: "kill -9 of the server at a random moment",
    engines: bothEngines,
    servers: 1,
    allowedEnds: ["interrupted"],
    async injectFault({ servers: [server] }) {
      await server!.end("SIGKILL");
      await server!.start();
    },
  },
  "kill-one-of-three": {
    about: "kill -9 of one of three servers behind a round-robin proxy",
    engines: ["postgres"],
    servers: 3,
    allowedEnds: ["interrupted"],
    async injectFault({ servers }, random) {
      const server = random.pick(servers);
      await server.end("SIGKILL");
      await sleep(random.between(0, 1_000));
      await server.start();
    },
  },
  "hang-one-of-two": {
    about: "SIGSTOP of one of two servers for longer than its leases, and SIGCONT",
    engines: ["postgres"],
    servers: 2,
    allowedEnds: ["interrupted"],
    async injectFault({ servers }, random) {
      const server = random.pick(servers);
      server.signal("SIGSTOP");
      // The other server finds a lease unchanged for 15 s at one of its sweeps, every 5 s.
      await sleep(random.between(21_000, 25_000));
      server.signal("SIGCONT");
    },
  },
  restart: {
    about: "SIGTERM and a restart of the only server",
    engines: bothEngines,
    servers: 1,
    allowedEnds: ["interrupted"],
    injectFault: restartAll,
  },
  rolling: {
    about: "SIGTERM and a restart, one server after the other",
    engines: ["postgres"],
    servers: 2,
    allowedEnds: [],
    injectFault: restartAll,
  },
  "readers-cut": {
    about: "the network between users and server is cut",
    engines: bothEngines,
    servers: 1,
    allowedEnds: [],
    async injectFault({ readersProxy }, random) {
      await readersProxy.cut();
      await sleep(random.between(0, 1_500));
      await readersProxy.restore();
    },
  },
  "model-cut": {
    about: "the network between server and model is cut",
    engines: bothEngines,
    servers: 1,
    allowedEnds: ["interrupted", "failed"],
    async injectFault({ modelProxy }, random) {
      await modelProxy.cut();
      await sleep(random.between(0, 500));
      await modelProxy.restore();
    },
  },
  "disk-full": {
    about: "the disk of the database is full for a while",
    engines: bothEngines,
    servers: 1,
    allowedEnds: ["interrupted"],
    unavailable: () =>
      process.platform === "linux" && process.getuid?.() === 0 && canMount()
        ? undefined
        : "needs Linux and permission to mount a small file system",
    dataFolder: smallDisk,
    async injectFault({ databaseOptions, cluster }, random, observed) {
      const filler = join(databaseOptions.dataDir, "filler");
      const before = observed.refusedForFullDisk;
      fillDisk(filler);
      await sleep(random.between(300, 2_500));
      // PostgreSQL refuses writes, or exits if it cannot extend its write-ahead log.
      const isNoticed = (): boolean => observed.refusedForFullDisk > before || cluster?.isRunning() === false;
      for (let tries = 0; !isNoticed() && tries < 200; tries++) await sleep(50);
      if (!isNoticed())
        observed.violations.push("The disk was full for ten seconds, and no request was refused.");
      rmSync(filler);
      if (cluster?.isRunning() === false) await restartCluster(cluster);
    },
  },
  "disk-stalls": {
    about: "another program holds the database's lock",
    engines: bothEngines,
    servers: 1,
    allowedEnds: ["interrupted"],
    async injectFault({ engine, databaseOptions }, random) {
      // One in four locks is held for longer than the five seconds that a write to SQLite waits.
      const lockMs = random.chance(0.25) ? random.between(5_000, 7_000) : random.between(200, 3_000);
      if (engine === "sqlite") await lockSqlite(join(databaseOptions.dataDir, "parlance.db"), lockMs);
      else await lockPostgres(databaseOptions.databaseUrl!, lockMs);
    },
  },
  "postgres-restarts": {
    about: "PostgreSQL is restarted",
    engines: ["postgres"],
    servers: 2,
    allowedEnds: ["interrupted"],
    async injectFault({ cluster }, random) {
      await cluster!.end("SIGINT");
      await sleep(random.between(0, 1_500));
      await cluster!.start();
    },
  },
  "postgres-killed": {
    about: "PostgreSQL is killed, and recovers",
    engines: ["postgres"],
    servers: 2,
    allowedEnds: ["interrupted"],
    async injectFault({ cluster }, random) {
      await cluster!.end(random.pick(["SIGKILL", "SIGQUIT"]));
      await restartCluster(cluster!);
    },
  },
  clock: {
    about: "the clock of a server is moved by an hour, forwards or back",
    engines: bothEngines,
    servers: 2,
    hasMovableClock: true,
    allowedEnds: [],
    async injectFault({ servers, moveClock }, random) {
      const server = random.pick(servers);
      const offsetMs = random.pick(
        [-hourMs, 0, hourMs].filter((each) => each !== (clockOffsetsMs.get(server) ?? 0)),
      );
      clockOffsetsMs.set(server, offsetMs);
      moveClock(server, offsetMs);
      await sleep(random.between(0, 500));
    },
  },
};

async function restartAll({ servers }: Environment): Promise<void> {
  for (const server of servers) {
    const { code } = await server.end("SIGTERM");
    if (code !== 0) throw new Error(`A server exited with ${code} after SIGTERM.\n${server.stderr()}`);
    await server.start();
  }
}

/** How many servers a drill runs on this engine: a SQLite database belongs to one process. */
export function serversOn(drill: Drill, engine: EngineName): number {
  return engine === "sqlite" ? 1 : drill.servers;
}

/** Why the drill cannot run on this machine and engine; undefined if it can. */
export function unavailableReason(drill: Drill, engine: EngineName): string | undefined {
  if (engine === "postgres" && findPostgresPrograms() === undefined) return "needs PostgreSQL";
  return drill.unavailable?.();
}

/** Retries: the child processes of a killed PostgreSQL keep its shared memory for a moment. */
async function restartCluster(cluster: NonNullable<Environment["cluster"]>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await cluster.start();
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(200);
    }
  }
}

async function lockSqlite(path: string, lockMs: number): Promise<void> {
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    file.exec("begin immediate");
    await sleep(lockMs);
    file.exec("rollback");
  } finally {
    file.close();
  }
}

async function lockPostgres(url: string, lockMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // One table only: a second lock, in another order than a server's, could cause a deadlock.
    await client.query("begin; lock table log_entries in exclusive mode");
    await sleep(lockMs);
    await client.query("rollback");
  } finally {
    await client.end();
  }
}

function canMount(): boolean {
  const disk = smallDisk();
  disk.remove();
  return disk.isMounted;
}

/** 256 MiB: enough for what a long drill writes, and filled quickly. */
function smallDisk(): { path: string; isMounted: boolean; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "parlance-drill-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", path]);
  const isMounted = status === 0;
  return {
    path,
    isMounted,
    remove() {
      if (isMounted) execFileSync("umount", [path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Writes until not one more byte fits. */
function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 1024 * 1024; size >= 1;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 4);
      }
    }
  } finally {
    closeSync(file);
  }
}
