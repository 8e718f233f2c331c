import type { Plugin, Rolldown } from "vite";

/**
 * Adds links to the app's page that load the files of a module with the page. The page's own script imports the module
 * after the first paint. `path`: the end of the module's path.
 */
export function preloadedModule(path: string): Plugin {
  return {
    name: "preloaded-module",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {}, filename }) {
        if (!filename.endsWith("/index.html")) return [];
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const files = filesOf(chunks, ({ moduleIds }) => moduleIds.some((id) => id.endsWith(path)));
        return files
          .filter((name) => !html.includes(`"/${name}"`))
          .map((name) => ({
            tag: "link",
            attrs: {
              ...(name.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" }),
              href: `/${name}`,
              crossorigin: true,
              // Behind the styles of the first paint.
              fetchpriority: "low",
            },
            injectTo: "head" as const,
          }));
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
