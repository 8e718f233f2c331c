import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { inRoot } from "../../scripts/runner/files.mjs";
import { npmProgram } from "../../scripts/runner/packages.mjs";
import { diskFolder } from "../support/temporary-folder.ts";
import { debianArchive } from "./debian-base.ts";
import { canLimitMemory } from "./memory-group.ts";

export type BuiltImage = {
  /** The folder with the files of the image, unpacked. */
  root: string;
  config: ImageConfig;
  /** Our layers, and all of them. */
  bytes: { ours: number; whole: number; oursCompressed: number; wholeCompressed: number };
  remove(): Promise<void>;
};

/** How Docker starts it. */
export type ImageConfig = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[] | null;
  WorkingDir: string;
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
  Healthcheck: { Test: string[] };
};

/**
 * Builds the Dockerfile without a container engine, on a Debian with this process's Node. The packages come from npm's cache
 * as in other installations.
 */
export async function buildImage({ commit }: { commit: string }): Promise<BuiltImage> {
  const folder = await mkdtemp(join(diskFolder(), "image-"));
  const store = join(folder, "store");
  const driver = (await readFile("/proc/filesystems", "utf8")).includes("\toverlay\n") ? "overlay" : "vfs";
  const buildah = async (...args: string[]): Promise<string> => {
    const where = ["--root", store, "--runroot", join(folder, "run"), "--storage-driver", driver];
    return (await run("buildah", [...where, ...args], { maxBuffer: Infinity })).stdout.trim();
  };
  const unpack = async (image: string): Promise<string> =>
    await buildah("mount", await buildah("from", "--pull-never", image));
  const remove = async () => {
    // It also takes away what is mounted.
    await buildah("rm", "--all").catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const base = await makeBase(buildah);
    await buildah(
      "build",
      "--isolation=chroot",
      // HEALTHCHECK is only in this format.
      "--format=docker",
      `--build-arg=BASE=${base}`,
      `--build-arg=COMMIT=${commit}`,
      ...(await npmVolumes(folder)),
      "--tag=parlance",
      inRoot(),
    );
    const layers = join(folder, "compressed");
    await buildah("push", "parlance", `oci:${layers}`);
    const [own, whole] = [await unpack(base), await unpack("parlance")];
    const { Docker } = JSON.parse(await buildah("inspect", "--type=image", "parlance")) as {
      Docker: { config: ImageConfig };
    };
    const sizes = await compressedSizes(layers);
    const [wholeBytes, baseBytes] = [await sizeOf(whole), await sizeOf(own)];
    return {
      root: whole,
      config: Docker.config,
      bytes: {
        ours: wholeBytes - baseBytes,
        whole: wholeBytes,
        oursCompressed: sum(sizes.slice(1)),
        wholeCompressed: sum(sizes),
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const run = promisify(execFile);

/** Why images cannot be built and started here; undefined if they can. */
export function reasonWithoutContainers(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs root on Linux";
  const missing = ["buildah", "debootstrap", "unshare", "chroot", "tar"].filter(
    (name) => spawnSync(name, ["--version"]).error !== undefined,
  );
  if (missing.length > 0) return `it needs ${missing.join(", ")}: apt-get install buildah debootstrap`;
  return canLimitMemory() ? undefined : "it needs cgroups that it may write";
}

/** An image with Node and npm, as node:26-slim is. Returns its name. */
async function makeBase(buildah: (...args: string[]) => Promise<string>): Promise<string> {
  const container = await buildah("from", "scratch");
  const npm = dirname(dirname(npmProgram()));
  await buildah("add", "--quiet", container, await debianArchive(), "/");
  await buildah("copy", "--quiet", container, process.execPath, "/usr/local/bin/node");
  await buildah("copy", "--quiet", container, npm, "/usr/local/lib/node_modules/npm");
  const link = ["ln", "-s", "/usr/local/lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm"];
  await buildah("run", "--isolation=chroot", container, "--", ...link);
  await buildah("commit", "--quiet", "--rm", container, "base");
  return "base";
}

/** Lets npm inside the build use the cache, the settings and the certificates of this machine. */
async function npmVolumes(folder: string): Promise<string[]> {
  const [settings, certificates] = [join(homedir(), ".npmrc"), process.env.NODE_EXTRA_CA_CERTS];
  const own = existsSync(settings) ? await readFile(settings, "utf8") : "";
  const cafile = certificates === undefined ? "" : "cafile=/ca.crt\n";
  await writeFile(join(folder, "npmrc"), `${own}\n${cafile}cache=/npm-cache\n`);
  const { stdout } = await run(process.execPath, [npmProgram(), "config", "get", "cache"]);
  await mkdir(stdout.trim(), { recursive: true });
  return [
    `--volume=${join(folder, "npmrc")}:/root/.npmrc:ro`,
    `--volume=${stdout.trim()}:/npm-cache`,
    ...(certificates === undefined ? [] : [`--volume=${certificates}:/ca.crt:ro`]),
  ];
}

/** The compressed size of each layer, from the lowest. */
async function compressedSizes(folder: string): Promise<number[]> {
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, path), "utf8"));
  const { manifests } = (await read("index.json")) as { manifests: { digest: string }[] };
  const { layers } = (await read(`blobs/${manifests[0]!.digest.replace(":", "/")}`)) as {
    layers: { size: number }[];
  };
  return layers.map(({ size }) => size);
}

async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await run("du", ["--summarize", "--bytes", folder]);
  return Number(stdout.split("\t")[0]);
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
