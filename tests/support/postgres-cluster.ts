import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { once } from "node:events";

/** A PostgreSQL of our own on a free port, its data in a folder that goes with it. */
export type Cluster = {
  /** Its first database, and a user who may make more. */
  url: string;
  /** Resolves when it takes connections. */
  start(): Promise<void>;
  /** Sends `signal` to its first process and resolves when that has ended: SIGINT is orderly, SIGQUIT and SIGKILL are not. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Whether its first process is there; it may have ended by itself. */
  isRunning(): boolean;
  /** Resolves when it has ended, however. */
  ended(): Promise<unknown>;
  /** Deletes its folder; it must have ended. */
  remove(): void;
};

export type ClusterSettings = Record<string, string | number>;

/** Makes one with the programs of this folder, its own folder in `under`; it is not running yet. */
export async function createCluster(
  programs: string,
  settings: ClusterSettings,
  under = tmpdir(),
): Promise<Cluster> {
  const home = mkdtempSync(join(under, "parlance-postgres-"));
  try {
    return await clusterIn(home, programs, settings);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

async function clusterIn(home: string, programs: string, settings: ClusterSettings): Promise<Cluster> {
  const data = join(home, "data");
  const identity = ordinaryIdentity();
  // Only the data is the other user's; the folder above lets it through.
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
  return {
    url: `postgres://parlance@127.0.0.1:${port}/postgres`,
    async start() {
      server = startServer(run, { port, ...settings });
      await readiness(server);
    },
    async end(signal) {
      if (server === undefined || !isRunning()) return;
      const gone = once(server, "exit");
      server.kill(signal);
      await gone;
    },
    isRunning,
    ended: async () => server !== undefined && isRunning() && (await once(server, "exit")),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A port of 127.0.0.1 that nobody listens on now. */
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

/** PostgreSQL refuses to run as root: its own user then, where there is one, else nobody. */
function ordinaryIdentity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.");
}

/** Whether any user gets to the files: a clone under /root is closed to all others. */
function isOpenToAll(path: string): boolean {
  // 0o005: others may read and enter.
  const open = (statSync(path).mode & 0o001) !== 0;
  return open && (dirname(path) === path || isOpenToAll(dirname(path)));
}

/** The programs find their libraries and templates beside themselves, so the folder above goes along. */
function copyOf(folder: string, home: string): string {
  const copy = join(home, "programs");
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function makeCluster({ folder, data, home, identity }: Run): void {
  const common = ["-D", data, "-U", "parlance", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-N"];
  // Sorted by a language, as an operator's database is: what has to be bytewise must say so itself.
  // PostgreSQL before 15 cannot, and is used as it is.
  const bySpokenLanguage = ["--locale-provider=icu", "--icu-locale=en-US"];
  const tries = [[...common, ...bySpokenLanguage], common];
  let words = "";
  for (const args of tries) {
    const made = spawnSync(join(folder, "initdb"), args, {
      ...identity,
      cwd: home,
      env: plainEnvironment(folder),
      encoding: "utf8",
    });
    if (made.status === 0) return;
    words = made.error?.message ?? made.stderr.trim();
  }
  throw new Error(`initdb: ${words}`);
}

function startServer({ folder, data, home, identity }: Run, more: ClusterSettings): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 300,
    // The data lives for one run: nothing of it has to survive a power cut.
    fsync: "off",
    full_page_writes: "off",
    // Nothing follows it either, and less is written for each new database.
    wal_level: "minimal",
    max_wal_senders: 0,
    // The level of "ready to accept connections", which is what a start is known by.
    log_min_messages: "log",
    lc_messages: "C",
    ...more,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(join(folder, "postgres"), ["-D", data, ...args], {
    ...identity,
    // The rest of the machine does not follow our working folder into being busy.
    cwd: home,
    env: plainEnvironment(folder),
    stdio: ["ignore", "ignore", "pipe"],
    // A group of its own: Ctrl-C is for us to turn into an orderly end.
    detached: true,
  });
}

function readiness(server: ChildProcess): Promise<void> {
  let words = "";
  return new Promise((resolve, reject) => {
    server.stderr?.on("data", (chunk) => {
      words = (words + String(chunk)).slice(-4_000);
      if (words.includes("ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`postgres: ${words.trim()}`)));
  });
}

function plainEnvironment(folder: string) {
  const libraries = join(dirname(folder), "lib");
  return {
    PATH: process.env.PATH,
    LC_ALL: "C",
    TZ: "UTC",
    LD_LIBRARY_PATH: libraries,
    DYLD_LIBRARY_PATH: libraries,
  };
}
