import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
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
    brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: qualityFor(content.length) } }).then(
      (small) => writeFile(`${path}.br`, small),
    ),
    zip(content, { level: 9 }).then((small) => writeFile(`${path}.gz`, small)),
  ]);
}

/** 9 for a megabyte and more, where the best quality, 11, takes 12 s to save another tenth. */
function qualityFor(sizeBytes: number): number {
  return sizeBytes >= 1_000_000 ? 9 : 11;
}
