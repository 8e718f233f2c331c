import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { once } from "node:events";

/** A PostgreSQL server for tests, on a free port, with its data in a temporary folder. */
export type Cluster = {
  /** The URL of its first database, with a user who can create databases. */
  url: string;
  /** The same through a Unix socket, which takes a third less CPU time than TCP. */
  socketUrl: string;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Signals its main process and waits until that has exited. SIGINT stops it properly; after SIGQUIT and SIGKILL it recovers at the next start. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Whether its main process runs. */
  isRunning(): boolean;
  /** Resolves when its main process has exited. */
  ended(): Promise<unknown>;
  /** Deletes its folder. It must not be running. */
  remove(): void;
};

export type ClusterSettings = Record<string, string | number>;

/** Creates a cluster with the programs in this folder, without starting it. Its data is in a new folder in `parentFolder`. */
export async function createCluster(
  programs: string,
  settings: ClusterSettings,
  parentFolder = tmpdir(),
): Promise<Cluster> {
  const home = mkdtempSync(join(parentFolder, "parlance-postgres-"));
  try {
    return await clusterIn(home, programs, settings);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

async function clusterIn(home: string, programs: string, settings: ClusterSettings): Promise<Cluster> {
  const data = join(home, "data");
  const identity = unprivilegedUser();
  // The other user owns the data folder and its parent.
  mkdirSync(data, { mode: 0o700 });
  if (identity) {
    chownSync(data, identity.uid, identity.gid);
    chownSync(home, identity.uid, identity.gid);
  }
  const folder = identity && !isOpenToAll(programs) ? copyOf(programs, home) : programs;
  const run = { folder, data, home, identity };
  makeCluster(run);
  const port = await freePort();
  let server: ChildProcess | undefined;
  const isRunning = (): boolean => server?.exitCode === null && server.signalCode === null;
  const url = `postgres://parlance@127.0.0.1:${port}/postgres`;
  return {
    url,
    socketUrl: process.platform === "win32" ? url : `${url}?host=${encodeURIComponent(home)}`,
    async start() {
      server = startServer(run, { port, ...settings });
      await waitUntilReady(server);
    },
    async end(signal) {
      if (server === undefined || !isRunning()) return;
      const exited = once(server, "exit");
      server.kill(signal);
      await exited;
    },
    isRunning,
    ended: async () => server !== undefined && isRunning() && (await once(server, "exit")),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (!address || typeof address === "string") throw new Error("No free port on 127.0.0.1.");
  return address.port;
}

type Identity = { uid: number; gid: number };
type Run = { folder: string; data: string; home: string; identity: Identity | undefined };

/** PostgreSQL refuses to run as root. As root this returns `postgres`, or else `nobody`. */
function unprivilegedUser(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.");
}

/** Whether every user can read the files. In a clone under /root only root can. */
function isOpenToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o001) !== 0;
  return open && (dirname(path) === path || isOpenToAll(dirname(path)));
}

/** Copies the programs with their parent folder, because they find their libraries and templates there. */
function copyOf(folder: string, home: string): string {
  const copy = join(home, "programs");
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function makeCluster({ folder, data, home, identity }: Run): void {
  const common = ["-D", data, "-U", "parlance", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-N"];
  // A locale that sorts by language, as operators' databases often have, so that tests notice a missing `collate`.
  // PostgreSQL before 15 does not have it.
  const icuLocale = ["--locale-provider=icu", "--icu-locale=en-US"];
  const tries = [[...common, ...icuLocale], common];
  let stderr = "";
  for (const args of tries) {
    const result = spawnSync(join(folder, "initdb"), args, {
      ...identity,
      cwd: home,
      env: environmentFor(folder),
      encoding: "utf8",
    });
    if (result.status === 0) return;
    stderr = result.error?.message ?? result.stderr.trim();
  }
  throw new Error(`initdb: ${stderr}`);
}

function startServer({ folder, data, home, identity }: Run, more: ClusterSettings): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: process.platform === "win32" ? "" : home,
    max_connections: 300,
    // The data of tests need not survive a power cut.
    fsync: "off",
    full_page_writes: "off",
    // There is no replication, and this makes new databases cheaper.
    wal_level: "minimal",
    max_wal_senders: 0,
    // The level of "ready to accept connections", which is awaited.
    log_min_messages: "log",
    lc_messages: "C",
    ...more,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(join(folder, "postgres"), ["-D", data, ...args], {
    ...identity,
    cwd: home,
    env: environmentFor(folder),
    stdio: ["ignore", "ignore", "pipe"],
    // Its own process group, so that Ctrl-C reaches only the tests, which then stop it.
    detached: true,
  });
}

function waitUntilReady(server: ChildProcess): Promise<void> {
  let stderr = "";
  return new Promise((resolve, reject) => {
    server.stderr?.on("data", (chunk) => {
      stderr = (stderr + String(chunk)).slice(-4_000);
      if (stderr.includes("ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`postgres: ${stderr.trim()}`)));
  });
}

function environmentFor(folder: string) {
  const libraries = join(dirname(folder), "lib");
  return {
    PATH: process.env.PATH,
    LC_ALL: "C",
    TZ: "UTC",
    LD_LIBRARY_PATH: libraries,
    DYLD_LIBRARY_PATH: libraries,
  };
}
