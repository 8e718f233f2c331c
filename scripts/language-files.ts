import type { Plugin } from "vite";

/** By tag: its direction, and by what to know the files of its words and of the font it needs at once. */
type Languages = Record<string, { direction: string; words: string; font: string | undefined }>;

const mark = 'data-languages="{}"';

/**
 * Tells the page which languages there are, and where a build has put each one's words and font: `/first-paint.js`
 * turns the page to the chosen one and sends for its files before anything else has loaded.
 */
export function languageFiles(languages: Languages): Plugin {
  return {
    name: "language-files",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const files = Object.values(bundle);
        const list = Object.entries(languages).map(([tag, { direction, words, font }]) => {
          const chunk = files.find(
            (file) => file.type === "chunk" && file.facadeModuleId?.endsWith(`/web/words/${words}`),
          );
          const asset = font && files.find(({ fileName }) => fileName.includes(font));
          return [
            tag,
            { direction, words: chunk && `/${chunk.fileName}`, font: asset && `/${asset.fileName}` },
          ];
        });
        return html.replace(mark, () => `data-languages='${JSON.stringify(Object.fromEntries(list))}'`);
      },
    },
  };
}
