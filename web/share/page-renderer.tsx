import { renderToStaticMarkup } from "react-dom/server";
import type { SharePageRenderer } from "#contract/parts/share-page.ts";
import { chooseLanguage } from "#web/i18n/languages.ts";
import { loadLanguages } from "./load-languages.ts";
import { liveScript } from "./live-script.ts";
import { Document } from "./shared-page.tsx";
import "../styles/fonts.css";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/vocabulary.css";
import "./share.css";

/** Creates the renderer of what is around the messages of a shared thread. */
export async function createPageRenderer(): Promise<SharePageRenderer> {
  const switchTo = await loadLanguages();
  return {
    liveScript,
    chooseLanguage: (accepted = "") =>
      chooseLanguage(
        "",
        accepted.split(",").map((range) => range.split(";")[0]!.trim()),
      ),
    renderPage(page, { language, styles, basePath }) {
      const document = (
        <Document page={page} language={switchTo(language)} styles={styles} basePath={basePath} />
      );
      return `<!doctype html>${renderToStaticMarkup(document)}`;
    },
  };
}
