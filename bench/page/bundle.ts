import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { root } from "../support/process.ts";
import type { Bench } from "../support/report.ts";

/** The JavaScript that a first visit loads before it shows anything, compared with a page that has only React. */
export const bundle: Bench = {
  about: "first-load JavaScript, gzip, beside a page of React alone",
  async run() {
    // Inside the clone, so that `react` resolves.
    const folder = mkdtempSync(join(root, "bench", ".react-"));
    try {
      writeFileSync(
        join(folder, "index.html"),
        '<!doctype html><div id="app"></div><script type="module" src="./main.jsx"></script>',
      );
      writeFileSync(
        join(folder, "main.jsx"),
        'import { createElement } from "react"; import { createRoot } from "react-dom/client"; createRoot(document.getElementById("app")).render(createElement("p", null, "ok"));',
      );
      await build({
        root: folder,
        logLevel: "error",
        configFile: false,
        build: { outDir: join(folder, "out") },
      });
      const ours = firstLoadBytes(join(root, "dist", "web")) / 1024;
      const react = firstLoadBytes(join(folder, "out")) / 1024;
      return [
        {
          what: "first-load JavaScript",
          unit: "KiB",
          ours,
          baseline: react,
          against: "React alone",
          aim: "at most 250 KiB",
          met: ours <= 250,
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The scripts in the page, those that it names except the texts of languages, and their static imports. */
function firstLoadBytes(folder: string): number {
  const page = readFileSync(join(folder, "index.html"), "utf8").replace(/ data-languages='[^']*'/, "");
  const pending = [...page.matchAll(/"(\/[^"]+\.js)"/g)].map((match) => join(folder, match[1]!));
  const seen = new Set<string>();
  let bytes = [...page.matchAll(/<script[^>]*>(.+?)<\/script>/gs)]
    .map(([, code = ""]) => gzipSync(code, { level: 9 }).length)
    .reduce((sum, size) => sum + size, 0);
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const code = readFileSync(path, "utf8");
    bytes += gzipSync(code, { level: 9 }).length;
    for (const match of code.matchAll(/(?:^|[;\n}])\s*import\s*(?:[\w$*{}\s,]+from\s*)?["'](\.[^"']+)["']/g))
      pending.push(join(dirname(path), match[1]!));
  }
  return bytes;
}
