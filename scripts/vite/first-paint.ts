import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync, type Plugin } from "vite";

const script = join(import.meta.dirname, "..", "..", "web", "public", "first-paint.js");

/**
 * Puts what the first paint needs into the app's page: `/first-paint.js` and the style sheet of the page's own script. So
 * the first paint needs one request. The server's content security policy allows both by their hashes.
 */
export function firstPaint(): Plugin {
  return {
    name: "first-paint",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {}, filename }) {
        if (!filename.endsWith("/index.html")) return html;
        const inlined = html
          .replace(/<script src="\/first-paint\.js"([^>]*)>/, (_, attributes: string) => {
            return `<script${attributes}>${minifySync(script, readFileSync(script, "utf8")).code}`;
          })
          .replace(/<link rel="stylesheet"[^>]* href="\/([^"]*)">/, (link, name: string) => {
            const sheet = bundle[name];
            if (sheet?.type !== "asset") return link;
            // Nothing else loads it.
            delete bundle[name];
            return `<style>${String(sheet.source).replaceAll("url(./", "url(/assets/")}</style>`;
          });
        if (/<script src=|<link rel="stylesheet"/.test(inlined))
          throw new Error("index.html has another form.");
        return inlined;
      },
    },
  };
}
