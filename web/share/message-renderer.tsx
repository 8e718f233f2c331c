import { renderToStaticMarkup } from "react-dom/server";
import type { ShareMessageRenderer } from "#contract/parts/share-page.ts";
import { loadHighlighter } from "#web/markdown/code/highlighter-loading.ts";
import { FormulaMarkupContext } from "#web/markdown/math/formula-markup.ts";
import { loadLanguages } from "./load-languages.ts";
import { Message } from "./message.tsx";
import { createTexMarkup } from "./tex-markup.ts";

/** Creates the renderer of messages. It runs in a worker thread of the server. */
export async function createMessageRenderer(): Promise<ShareMessageRenderer> {
  const switchTo = await loadLanguages();
  await loadHighlighter();
  const texMarkup = createTexMarkup();
  return {
    renderMessage(message, { language, path, isPlain }) {
      switchTo(language);
      return renderToStaticMarkup(
        <FormulaMarkupContext value={texMarkup.forMessage()}>
          <Message message={message} path={path} isPlain={isPlain} />
        </FormulaMarkupContext>,
      );
    },
  };
}
