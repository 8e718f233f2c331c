import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

// Bytes. Smaller files fit into one packet anyway.
const MIN_SIZE_BYTES = 1_024;

/** Writes a .br and a .gz next to every script and style, so that the server does not compress them for each request. */
export function precompress(): Plugin {
  let folder = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir, build.assetsDir);
    },
    // Workers are written last, so this cannot run earlier.
    async closeBundle() {
      const names = (await readdir(folder)).filter((name) => /\.(js|css|svg|json)$/.test(name));
      await Promise.all(names.map((name) => compressBeside(join(folder, name))));
    },
  };
}

/** Writes a .br and a .gz next to a file, unless it is small. */
export async function compressBeside(path: string) {
  const content = await readFile(path);
  if (content.length < MIN_SIZE_BYTES) return;
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
