// A process that keeps one PostgreSQL for a run of tests, and clears it away when the run is over. It knows
// that from its input: the pipe closes when the run ends, also when the run was killed and could say nothing.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { once } from "node:events";

const [programs = ""] = process.argv.slice(2);
// Ctrl-C reaches us as well; the run's end comes right after it, by the pipe.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const home = mkdtempSync(join(tmpdir(), "parlance-postgres-"));
const data = join(home, "data");
// The rest of the machine does not follow our working folder into being busy.
process.chdir(home);
let postgres: ChildProcess | undefined;
const over = once(process.stdin.resume(), "close");

try {
  const identity = ordinaryIdentity();
  // Only the data is the other user's; the folder above lets it through.
  mkdirSync(data, { mode: 0o700 });
  if (identity) {
    chownSync(data, identity.uid, identity.gid);
    chownSync(home, identity.uid, identity.gid);
  }
  const folder = identity && !isOpenToAll(programs) ? copyOf(programs) : programs;
  makeCluster(folder, identity);
  const port = await freePort();
  postgres = startServer(folder, port, identity);
  await Promise.race([readiness(postgres), over]);
  console.log(`ready postgres://parlance@127.0.0.1:${port}/postgres`);
  await Promise.race([over, once(postgres, "exit")]);
} catch (error) {
  console.log(`failed ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await stopServer();
  process.chdir("/");
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
}

type Identity = { uid: number; gid: number };

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
function copyOf(folder: string): string {
  const copy = join(home, "programs");
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function makeCluster(folder: string, identity: Identity | undefined) {
  const common = ["-D", data, "-U", "parlance", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-N"];
  // Sorted by a language, as an operator's database is: what has to be bytewise must say so itself.
  // PostgreSQL before 15 cannot, and is used as it is.
  const bySpokenLanguage = ["--locale-provider=icu", "--icu-locale=en-US"];
  const tries = [[...common, ...bySpokenLanguage], common];
  let words = "";
  for (const args of tries) {
    const made = spawnSync(join(folder, "initdb"), args, {
      ...identity,
      env: plainEnvironment(folder),
      encoding: "utf8",
    });
    if (made.status === 0) return;
    words = made.error?.message ?? made.stderr.trim();
  }
  throw new Error(`initdb: ${words}`);
}

function startServer(folder: string, port: number, identity: Identity | undefined): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 300,
    // The data lives for one run: nothing of it has to survive a power cut.
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    // Nothing follows it either, and less is written for each new database.
    wal_level: "minimal",
    max_wal_senders: 0,
    // The level of "ready to accept connections", which is what a start is known by.
    log_min_messages: "log",
    lc_messages: "C",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(join(folder, "postgres"), ["-D", data, ...args], {
    ...identity,
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

async function stopServer() {
  if (!postgres || postgres.exitCode !== null || postgres.signalCode !== null) return;
  const gone = once(postgres, "exit");
  // "Immediate": there is nothing worth writing down.
  postgres.kill("SIGQUIT");
  await gone;
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (!address || typeof address === "string") throw new Error("No free port on 127.0.0.1.");
  return address.port;
}
