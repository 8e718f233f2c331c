import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import type { S3Place } from "#storage/blobs/s3.ts";

export type S3Server = {
  place: Omit<S3Place, "bucket" | "style">;
  /** Resolves when it takes requests; throws where it does not. */
  start(): Promise<void>;
  end(): Promise<void>;
};

/** The key that everything of it opens with. */
const accessKeyId = "test:tester";
const secretAccessKey = "testing";
const region = "us-east-1";
/** 60 s: it takes six on a quiet machine. */
const startsWithinMs = 60_000;

/** OpenStack Swift with its S3 face, on this machine alone, in a folder of its own. */
export async function createS3Server(programs: string): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-s3-"));
  const ports = {
    proxy: await freePort(),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
  };
  const children: ChildProcess[] = [];
  writeFiles(folder, ports);
  const endpoint = `http://127.0.0.1:${ports.proxy}`;

  return {
    place: { endpoint, region, accessKeyId, secretAccessKey },

    async start() {
      buildRings(folder, ports, programs);
      for (const name of ["account", "container", "object", "proxy"])
        children.push(
          spawn(join(programs, `swift-${name}-server`), [join(folder, `${name}.conf`)], { stdio: "ignore" }),
        );
      const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region, retries: 0 });
      const until = Date.now() + startsWithinMs;
      // The front answers before what is behind it does: it is there when a bucket can be made.
      const isReady = async () => (await client.fetch(`${endpoint}/ready`, { method: "PUT" })).ok;
      while (!(await isReady().catch(() => false))) {
        if (Date.now() > until || children.some(({ exitCode }) => exitCode !== null))
          throw new Error("Swift did not start.");
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },

    async end() {
      for (const child of children) {
        if (child.exitCode !== null) continue;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Ports = Record<"proxy" | "account" | "container" | "object", number>;

function writeFiles(folder: string, ports: Ports): void {
  mkdirSync(join(folder, "devices", "disk"), { recursive: true });
  const common = (name: keyof Ports) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports[name]}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${join(folder, "devices")}
mount_check = false
log_address = ${join(folder, "no-log")}
`;
  for (const name of ["account", "container", "object"] as const)
    writeFileSync(
      join(folder, `${name}.conf`),
      `${common(name)}[pipeline:main]\npipeline = ${name}-server\n[app:${name}-server]\nuse = egg:swift#${name}\n`,
    );
  writeFileSync(
    join(folder, "proxy.conf"),
    `${common("proxy")}[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = ${region}
[filter:tempauth]
use = egg:swift#tempauth
user_${accessKeyId.replace(":", "_")} = ${secretAccessKey} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`,
  );
  writeFileSync(
    join(folder, "swift.conf"),
    "[swift-hash]\nswift_hash_path_suffix = a\nswift_hash_path_prefix = b\n[storage-policy:0]\nname = only\ndefault = yes\n",
  );
}

/** Where each kind of thing is kept: on the one disk that there is. In one process, for each costs half a second. */
function buildRings(folder: string, ports: Ports, programs: string): void {
  const program = `
import sys
from swift.common.ring import RingBuilder
for pair in sys.argv[2:]:
    name, port = pair.split("=")
    builder = RingBuilder(4, 1, 1)
    builder.add_dev(dict(id=0, region=1, zone=1, ip="127.0.0.1", port=int(port), device="disk", weight=1.0,
                         replication_ip="127.0.0.1", replication_port=int(port), meta=""))
    builder.rebalance()
    builder.get_ring().save(sys.argv[1] + "/" + name + ".ring.gz")
`;
  const pairs = (["account", "container", "object"] as const).map((name) => `${name}=${ports[name]}`);
  const done = spawnSync(join(programs, "python3"), ["-c", program, folder, ...pairs], {
    env: { ...process.env, SWIFT_TEST_CONFIG_FILE: "" },
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(`Swift's rings were not made: ${done.stderr}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
