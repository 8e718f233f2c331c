import { randomUUID } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A limit for the memory of some processes together. Above it, the kernel ends one of them. */
export type MemoryGroup = {
  folder: string;
  /** Limits a process too, and those that it starts from now on. */
  add(pid: number): void;
  /** The most memory that they had together, with what the kernel caches for them. */
  peakBytes(): number;
  /** After its last process has ended. */
  remove(): void;
};

export const canLimitMemory = (): boolean => kernel !== undefined;

export function createMemoryGroup(memoryBytes: number): MemoryGroup {
  const { parent, limit, peak } = kernel!;
  const folder = join(parent, `parlance-${randomUUID()}`);
  mkdirSync(folder);
  writeFileSync(join(folder, limit), String(memoryBytes));
  return {
    folder,
    add: (pid) => writeFileSync(join(folder, "cgroup.procs"), String(pid)),
    peakBytes: () => Number(readFileSync(join(folder, peak), "utf8")),
    remove: () => rmdirSync(folder),
  };
}

/** Where this kernel limits the memory of processes: version 1 or 2 of cgroups. */
const kernel = [
  {
    parent: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
  },
  { parent: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak" },
].find(({ parent, limit }) => hasLimit(parent, limit));

function hasLimit(parent: string, limit: string): boolean {
  const group = join(parent, `parlance-${randomUUID()}`);
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
