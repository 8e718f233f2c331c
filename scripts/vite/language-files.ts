import type { Plugin } from "vite";

/** By tag. Each language has a folder `web/i18n/<tag>/`; `font` is part of a font's file name. */
type Languages = Record<string, { direction: string; font: string | undefined; notLoaded: string }>;

const listPlaceholder = 'data-languages="{}"';
const notLoadedPlaceholder = '<div id="not-loaded" hidden></div>';

/**
 * Writes the list of languages into the page: their directions, the built files of their strings and fonts, and a
 * sentence for when the app does not load. With it, `/first-paint.js` sets the direction and preloads the files of the
 * chosen language before the app has loaded.
 */
export function languageFiles(languages: Languages): Plugin {
  return {
    name: "language-files",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const files = Object.values(bundle);
        const list = Object.entries(languages).map(([tag, { direction, font }]) => {
          const chunk = files.find(
            (file) => file.type === "chunk" && file.facadeModuleId?.endsWith(`/web/i18n/${tag}/${tag}.ts`),
          );
          const asset = font && files.find(({ fileName }) => fileName.includes(font));
          return [
            tag,
            { direction, strings: chunk && `/${chunk.fileName}`, font: asset && `/${asset.fileName}` },
          ];
        });
        const notLoaded = Object.entries(languages).map(
          ([tag, { direction, notLoaded: text }]) => `<p lang="${tag}" dir="${direction}">${text}</p>`,
        );
        return html
          .replace(listPlaceholder, () => `data-languages='${JSON.stringify(Object.fromEntries(list))}'`)
          .replace(notLoadedPlaceholder, () => `<div id="not-loaded" hidden>${notLoaded.join("")}</div>`);
      },
    },
  };
}
