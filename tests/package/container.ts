import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { childServerOf, spawnServer, type ChildServer } from "../support/servers/child-server.ts";
import { freePort } from "../support/postgres/postgres-cluster.ts";
import type { BuiltImage } from "./built-image.ts";
import { createMemoryGroup } from "./memory-group.ts";

/** A server in a container. Its `url` is reachable from here. */
export type Container = ChildServer & {
  /** The most memory that its first process had, in bytes. */
  peakBytes(): number;
  /** Whether the image's health check succeeds. */
  isHealthy(): boolean;
  /** Whether a program that is started in the container, as by `docker exec`, succeeds. */
  canRun(...line: string[]): boolean;
};

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
  const group = createMemoryGroup(memoryBytes);
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
  const child = spawnServer(
    settings,
    [...namespaces, "sh", "-euc", script, root, data, group.folder, ...command],
    {
      program: "unshare",
    },
  );
  const ended = child.ended.finally(group.remove);
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
