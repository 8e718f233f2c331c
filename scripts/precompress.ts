import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

// Bytes. Below this a packet is not full anyway, and the file beside costs more than it saves.
const WORTH_IT = 1_024;

/** Lays a .br and a .gz beside every script and style, so that the server compresses nothing while it serves. */
export function precompress(): Plugin {
  let folder = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir, build.assetsDir);
    },
    // Not earlier: workers are written after everything else.
    async closeBundle() {
      const names = (await readdir(folder)).filter((name) => /\.(js|css|svg|json)$/.test(name));
      await Promise.all(names.map((name) => compressBeside(join(folder, name))));
    },
  };
}

async function compressBeside(path: string) {
  const content = await readFile(path);
  if (content.length < WORTH_IT) return;
  await Promise.all([
    brotli(content).then((small) => writeFile(`${path}.br`, small)),
    zip(content, { level: 9 }).then((small) => writeFile(`${path}.gz`, small)),
  ]);
}
