import type { Plugin, Rolldown } from "vite";

const placeholder = 'data-files="[]"';

/**
 * Writes the files of a module and of everything that it imports into the app's page. `/first-paint.js` preloads them
 * behind the first frame, and the page's own script imports the module after the first paint. `path`: the end of the
 * module's path.
 */
export function preloadedModule(path: string): Plugin {
  return {
    name: "preloaded-module",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const files = filesOf(chunks, ({ moduleIds }) => moduleIds.some((id) => id.endsWith(path)))
          .map((name) => `/${name}`)
          .filter((url) => !html.includes(`"${url}"`));
        return html.replace(placeholder, () => `data-files='${JSON.stringify(files)}'`);
      },
    },
  };
}

/** The chunk that has the module, everything that it imports, and their styles. */
function filesOf(
  chunks: readonly Rolldown.OutputChunk[],
  hasModule: (chunk: Rolldown.OutputChunk) => boolean,
): string[] {
  const needed = new Set<Rolldown.OutputChunk>();
  const add = (chunk: Rolldown.OutputChunk | undefined) => {
    if (chunk === undefined || needed.has(chunk)) return;
    needed.add(chunk);
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name));
  };
  add(chunks.find(hasModule));
  const styles = [...needed].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
  return [...new Set([...[...needed].map(({ fileName }) => fileName), ...styles])];
}
