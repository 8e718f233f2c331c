import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childServerOf, spawnServer, type ChildServer } from "../support/servers/child-server.ts";
import { freePort } from "../support/postgres/postgres-cluster.ts";
import type { BuiltImage } from "./built-image.ts";

/** A server in a container. Its `url` is reachable from here. */
export type Container = ChildServer & {
  /** The most memory that its first process had, in bytes. */
  peakBytes(): number;
  /** Whether the image's health check succeeds. */
  isHealthy(): boolean;
  /** Whether a program that is started in the container, as by `docker exec`, succeeds. */
  canRun(...line: string[]): boolean;
};

/** Why images cannot be built and started here; undefined if they can. */
export function reasonWithoutContainers(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs root on Linux";
  const missing = ["buildah", "debootstrap", "unshare", "chroot", "tar"].filter(
    (name) => spawnSync(name, ["--version"]).error !== undefined,
  );
  if (missing.length > 0) return `it needs ${missing.join(", ")}: apt-get install buildah debootstrap`;
  return memoryGroups === undefined ? "it needs cgroups that it may write" : undefined;
}

/**
 * Starts the image as container engines do: as its user, with its environment, as the first process of a PID namespace, on a
 * root file system that is read-only, with a new /tmp, and with this much memory.
 */
export async function startContainer(
  { root, config }: BuiltImage,
  { data, memoryBytes }: { data: string; memoryBytes: number },
): Promise<Container> {
  const port = String(await freePort());
  const settings = { ...Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s))), PORT: port };
  const group = join(memoryGroups!.folder, `parlance-${randomUUID()}`);
  mkdirSync(group);
  writeFileSync(join(group, memoryGroups!.limit), String(memoryBytes));
  const inside = ["chroot", `--userspec=${config.User}`, root, "env", `--chdir=${config.WorkingDir}`];
  const script = `
    echo 0 > "$2/cgroup.procs"
    mount --bind "$0" "$0"
    mount --bind "$1" "$0/data"
    mount -t tmpfs tmpfs "$0/tmp"
    mount -t proc proc "$0/proc"
    mount --bind /dev "$0/dev"
    mount -o remount,bind,ro "$0"
    shift 2
    exec "$@"`;
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child"];
  const command = [...inside, ...config.Entrypoint, ...(config.Cmd ?? [])];
  const child = spawnServer(settings, [...namespaces, "sh", "-euc", script, root, data, group, ...command], {
    program: "unshare",
  });
  const ended = child.ended.finally(() => rmdirSync(group));
  const server = await childServerOf({ ...child, ended });
  const parent = child.process.pid!;
  const [first] = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ");
  const canRun = (...line: string[]): boolean =>
    spawnSync("nsenter", [`--target=${first}`, "--mount", "--pid", ...inside, ...line], { env: settings })
      .status === 0;
  return {
    ...server,
    url: `http://127.0.0.1:${port}`,
    async end(signal) {
      if (child.process.exitCode === null) process.kill(Number(first), signal);
      return await ended;
    },
    peakBytes: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${first}/status`, "utf8"))![1]) * 1024,
    isHealthy: () => canRun(...config.Healthcheck.Test.slice(1)),
    canRun,
  };
}

/** Where this kernel limits the memory of processes: version 1 or 2 of cgroups. */
const memoryGroups = [
  { folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { folder: "/sys/fs/cgroup", limit: "memory.max" },
].find(({ folder, limit }) => hasLimit(folder, limit));

function hasLimit(folder: string, limit: string): boolean {
  const group = join(folder, `parlance-${randomUUID()}`);
  try {
    mkdirSync(group);
  } catch {
    return false;
  }
  try {
    accessSync(join(group, limit), constants.W_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(group);
  }
}
