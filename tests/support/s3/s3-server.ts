import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import type { S3Location } from "#storage/blobs/s3-location.ts";
import { diskFolder } from "../temporary-folder.ts";

export type S3Server = {
  /** Resolves with its address when it accepts requests. Throws if it does not start. */
  start(): Promise<Omit<S3Location, "bucket" | "style">>;
  end(): Promise<void>;
};

const accessKeyId = "test:tester";
const secretAccessKey = "k7Qm2xW9vB4n";
const region = "us-east-1";
/** It takes six seconds on an idle machine. */
const startTimeoutMs = 60_000;
/** Another program may take a free port before Swift listens there. */
const attempts = 3;
/** Bucket names are subdomains of this one, which always resolves to this machine (RFC 6761). */
const storageDomain = "localhost";

/** OpenStack Swift with its S3 API, on 127.0.0.1, with its data in a temporary folder. */
export function createS3Server(programs: string): S3Server {
  let server: Awaited<ReturnType<typeof createAttempt>> | undefined;
  let hasEnded = false;
  return {
    async start() {
      for (let attempt = 1; ; attempt++) {
        server = await createAttempt(programs);
        try {
          return await server.start();
        } catch (error) {
          await server.end();
          if (hasEnded || attempt === attempts) throw error;
        }
      }
    },
    async end() {
      hasEnded = true;
      await server?.end();
    },
  };
}

async function createAttempt(programs: string): Promise<S3Server> {
  const folder = mkdtempSync(join(diskFolder(), "parlance-s3-"));
  const ports = {
    proxy: await freePort(),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
  };
  const children: ChildProcess[] = [];
  let stderr = "";
  writeFiles(folder, ports);
  const endpoint = `http://127.0.0.1:${ports.proxy}`;

  return {
    async start() {
      buildRings(folder, ports, programs);
      for (const name of ["account", "container", "object", "proxy"]) {
        const child = spawn(join(programs, `swift-${name}-server`), [join(folder, `${name}.conf`)], {
          stdio: ["ignore", "ignore", "pipe"],
        });
        child.stderr.on("data", (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-2_000)));
        children.push(child);
      }
      const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region, retries: 0 });
      const deadlineMs = Date.now() + startTimeoutMs;
      // The proxy accepts requests before the other servers do, so create a bucket as a check.
      const isReady = async () => (await client.fetch(`${endpoint}/ready`, { method: "PUT" })).ok;
      while (!(await isReady().catch(() => false))) {
        if (Date.now() > deadlineMs || children.some(({ exitCode }) => exitCode !== null))
          throw new Error(`Swift did not start. ${stderr.trim().split("\n").at(-1)}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return { endpoint, region, accessKeyId, secretAccessKey };
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
cors_allow_origin = *
# By default, the proxy avoids a disk for a minute after ten errors. This cluster has only one disk.
error_suppression_limit = 1000000
error_suppression_interval = 1
conn_timeout = 10
node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = ${region}
storage_domain = ${storageDomain}
cors_preflight_allow_origin = *
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

/** Swift's rings: all data is on one disk. Built in one process, because each start takes half a second. */
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
  if (done.status !== 0) throw new Error(`Swift's rings could not be built: ${done.stderr}`);
}

/** A free port outside the ephemeral range, because Swift listens there only seconds later. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
