import { renderToStaticMarkup } from "react-dom/server";
import type { SharedMessage, SharePage, ShareRenderer } from "#contract/parts/share-page.ts";
import { chooseLanguage, languages, type LanguageTag } from "#web/i18n/languages.ts";
import { addStrings, setLanguage } from "#web/i18n/translate.ts";
import { loadHighlighter } from "#web/markdown/code/highlighter-loading.ts";
import { FormulaMarkupContext } from "#web/markdown/math/formula-markup.ts";
import { liveScript } from "./live-script.ts";
import { Message } from "./message.tsx";
import { Document } from "./page.tsx";
import { createTexMarkup } from "./tex-markup.ts";
import "../styles/fonts.css";
import "../styles/tokens.css";
import "../styles/base.css";
import "./share.css";

/** Creates the renderer of shared threads. It runs in the server, from its own build. */
export async function createRenderer(): Promise<ShareRenderer> {
  const tags = Object.keys(languages) as LanguageTag[];
  const loaded = new Map(
    await Promise.all(
      tags.map(async (tag) => {
        const language = await languages[tag].load();
        return [tag, { language, more: (await language.importScreenStrings()).screenStrings }] as const;
      }),
    ),
  );
  await loadHighlighter();
  const texMarkup = createTexMarkup();
  let current: LanguageTag | undefined;

  // Rendering is synchronous, so no other page can change the language meanwhile.
  function switchTo(language: string): LanguageTag {
    const tag = chooseLanguage(language, []);
    if (tag === current) return tag;
    const { language: strings, more } = loaded.get(tag)!;
    setLanguage(tag, languages[tag].direction, strings);
    addStrings(more);
    current = tag;
    return tag;
  }

  return {
    liveScript,
    chooseLanguage: (accepted = "") =>
      chooseLanguage(
        "",
        accepted.split(",").map((range) => range.split(";")[0]!.trim()),
      ),
    renderMessage(message: SharedMessage, { language, path }) {
      switchTo(language);
      return renderToStaticMarkup(
        <FormulaMarkupContext value={texMarkup.forMessage()}>
          <Message message={message} path={path} />
        </FormulaMarkupContext>,
      );
    },
    renderPage(page: SharePage, { language, styles }) {
      const tag = switchTo(language);
      const document = <Document page={page} language={tag} styles={styles} />;
      return `<!doctype html>${renderToStaticMarkup(document)}`;
    },
  };
}
