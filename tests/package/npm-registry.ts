import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { npmProgram } from "../../scripts/runner/packages.mjs";

type Archive = { version: string; bytes: Buffer };

/** A registry of npm with one package, of which the last version is the newest. */
export async function startRegistry(archives: readonly Archive[]) {
  const name = "parlance-server";
  const hanging = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const path = request.url!;
    const hang = hanging.get(path);
    if (hang !== undefined) {
      hanging.delete(path);
      return hang(response);
    }
    const tarball = archives.find(({ version }) => path === tarballOf(version));
    if (tarball !== undefined) return response.end(tarball.bytes);
    if (path !== `/${name}`) return response.writeHead(404).end("{}");
    const versions = archives.map(({ version, bytes }) => {
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const dist = { integrity, tarball: `http://127.0.0.1:${port}${tarballOf(version)}` };
      return [version, { name, version, dist, bin: { parlance: "cli/package/package-program.mjs" } }];
    });
    const latest = archives.at(-1)!.version;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(versions) }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const tarballOf = (version: string): string => `/${name}/-/${name}-${version}.tgz`;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** The next request for the archive of this version gets half of it. Resolves when that is sent. */
    hang: async (version: string): Promise<void> =>
      await new Promise((resolve) => {
        hanging.set(tarballOf(version), (response) => {
          const { bytes } = archives.find((archive) => archive.version === version)!;
          response.writeHead(200).write(bytes.subarray(0, bytes.length / 2), () => resolve());
        });
      }),
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The package of a release under another version. It needs no other packages: it finds those of the one it is installed in. */
export async function laterVersion(release: string, version: string): Promise<Archive> {
  const folder = await mkdtemp(join(tmpdir(), "later-"));
  try {
    await cp(join(release, "package"), folder, { recursive: true });
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as object;
    await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, version, dependencies: {} }));
    await rm(join(folder, "npm-shrinkwrap.json"));
    const args = [npmProgram(), "pack", "--loglevel=error"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    return { version, bytes: await readFile(join(folder, stdout.trim())) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
