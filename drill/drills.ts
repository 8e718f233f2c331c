import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Story } from "./people.ts";
import type { ServerProcess } from "./support/server-process.ts";
import type { Chance } from "#fixtures/chance.ts";
import type { EngineName, Stage } from "./stage.ts";
import { findPostgresPrograms } from "#tests/support/postgres-programs.ts";

/** One kind of failure, caused repeatedly. */
export type Drill = {
  about: string;
  engines: readonly EngineName[];
  servers: number;
  hasMovableClock?: true;
  /** How an answer may end here other than complete. */
  mayBreak: "never" | "interrupted" | "interrupted or failed";
  /** Why it cannot be done on this machine, if so. */
  missing?(): string | undefined;
  /** A folder for the data, and a function that deletes it. */
  folder?(): { path: string; remove(): void };
  /** One disturbance, from its beginning to its end. */
  disturb(stage: Stage, chance: Chance, story: Story): Promise<void>;
};

const both = ["sqlite", "postgres"] as const;
const hourMs = 3_600_000;

/** How far each server's clock was moved last. */
const ahead = new WeakMap<ServerProcess, number>();

/** Every drill by its name. */
export const drills: Record<string, Drill> = {
  kill: {
    about: "kill -9 of the server at a random moment",
    engines: both,
    servers: 1,
    mayBreak: "interrupted",
    async disturb({ servers: [server] }) {
      await server!.end("SIGKILL");
      await server!.start();
    },
  },
  "kill-one-of-three": {
    about: "kill -9 of one of three servers behind a round-robin proxy",
    engines: ["postgres"],
    servers: 3,
    mayBreak: "interrupted",
    async disturb({ servers }, chance) {
      const server = chance.pick(servers);
      await server.end("SIGKILL");
      await sleep(chance.between(0, 1_000));
      await server.start();
    },
  },
  restart: {
    about: "SIGTERM and a new start of the only server",
    engines: both,
    servers: 1,
    mayBreak: "interrupted",
    disturb: restartAll,
  },
  rolling: {
    about: "SIGTERM and a new start, one server after the other",
    engines: ["postgres"],
    servers: 2,
    mayBreak: "never",
    disturb: restartAll,
  },
  "readers-cut": {
    about: "the network between people and server is cut",
    engines: both,
    servers: 1,
    mayBreak: "never",
    async disturb({ readersProxy }, chance) {
      await readersProxy.cut();
      await sleep(chance.between(0, 1_500));
      await readersProxy.restore();
    },
  },
  "model-cut": {
    about: "the network between server and model is cut",
    engines: both,
    servers: 1,
    mayBreak: "interrupted or failed",
    async disturb({ modelProxy }, chance) {
      await modelProxy.cut();
      await sleep(chance.between(0, 500));
      await modelProxy.restore();
    },
  },
  "disk-full": {
    about: "the disk of the database is full for a while",
    engines: both,
    servers: 1,
    mayBreak: "interrupted",
    missing: () =>
      process.platform === "linux" && process.getuid?.() === 0 && canMount()
        ? undefined
        : "needs a small file system of its own, and so a Linux and the right to mount",
    folder: smallDisk,
    async disturb({ place, cluster }, chance, story) {
      const filler = join(place.dataDir, "filler");
      const before = story.refusedForRoom;
      fill(filler);
      await sleep(chance.between(300, 2_500));
      // PostgreSQL refuses what needs room; where the next piece of its own log does, it ends.
      const isNoticed = (): boolean => story.refusedForRoom > before || cluster?.isRunning() === false;
      for (let tries = 0; !isNoticed() && tries < 200; tries++) await sleep(50);
      if (!isNoticed()) story.mistakes.push("The disk was full for ten seconds, and nobody was told so.");
      rmSync(filler);
      if (cluster?.isRunning() === false) await startAgain(cluster);
    },
  },
  "disk-stalls": {
    about: "another program holds the database's lock",
    engines: both,
    servers: 1,
    mayBreak: "interrupted",
    async disturb({ engine, place }, chance) {
      // Past the five seconds for which a write to SQLite waits, in one of four.
      const heldMs = chance.is(0.25) ? chance.between(5_000, 7_000) : chance.between(200, 3_000);
      if (engine === "sqlite") await holdSqlite(join(place.dataDir, "parlance.db"), heldMs);
      else await holdPostgres(place.databaseUrl!, heldMs);
    },
  },
  "postgres-restarts": {
    about: "PostgreSQL is restarted",
    engines: ["postgres"],
    servers: 2,
    mayBreak: "interrupted",
    async disturb({ cluster }, chance) {
      await cluster!.end("SIGINT");
      await sleep(chance.between(0, 1_500));
      await cluster!.start();
    },
  },
  "postgres-killed": {
    about: "PostgreSQL is killed, and recovers",
    engines: ["postgres"],
    servers: 2,
    mayBreak: "interrupted",
    async disturb({ cluster }, chance) {
      await cluster!.end(chance.pick(["SIGKILL", "SIGQUIT"]));
      await startAgain(cluster!);
    },
  },
  clock: {
    about: "the clock of a server is moved by an hour, forwards or back",
    engines: both,
    servers: 2,
    hasMovableClock: true,
    mayBreak: "never",
    async disturb({ servers, moveClock }, chance) {
      const server = chance.pick(servers);
      const aheadMs = chance.pick([-hourMs, 0, hourMs].filter((each) => each !== (ahead.get(server) ?? 0)));
      ahead.set(server, aheadMs);
      moveClock(server, aheadMs);
      await sleep(chance.between(0, 500));
    },
  },
};

async function restartAll({ servers }: Stage): Promise<void> {
  for (const server of servers) {
    const { code } = await server.end("SIGTERM");
    if (code !== 0)
      throw new Error(`A server that was asked to stop exited with ${code}.\n${server.words()}`);
    await server.start();
  }
}

/** How many servers a drill has on this engine: SQLite serves one process. */
export function serversOn(drill: Drill, engine: EngineName): number {
  return engine === "sqlite" ? 1 : drill.servers;
}

/** Why this drill cannot be done here, if so. */
export function missingFor(drill: Drill, engine: EngineName): string | undefined {
  if (engine === "postgres" && findPostgresPrograms() === undefined) return "needs a PostgreSQL";
  return drill.missing?.();
}

/** What was killed may still hold its memory: its children notice a moment later. */
async function startAgain(cluster: NonNullable<Stage["cluster"]>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await cluster.start();
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(200);
    }
  }
}

async function holdSqlite(path: string, heldMs: number): Promise<void> {
  const file = new DatabaseSync(path, { timeout: 5_000 });
  try {
    file.exec("begin immediate");
    await sleep(heldMs);
    file.exec("rollback");
  } finally {
    file.close();
  }
}

async function holdPostgres(url: string, heldMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // One table only: locking two in another order than a server does would cause a deadlock.
    await client.query("begin; lock table log_entries in exclusive mode");
    await sleep(heldMs);
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

/** 256 MiB: room for what a long drill writes, and quickly filled. */
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

/** Writes until nothing more fits, the last bytes too. */
function fill(path: string): void {
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
