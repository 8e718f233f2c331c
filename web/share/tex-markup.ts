import temml from "temml";
import "temml/dist/Temml-Local.css";
import "#web/markdown/math/math.css";
import type { FormulaMarkup } from "#web/markdown/math/formula-markup.ts";
import { isBounded, texOptions } from "#web/markdown/math/tex-limits.ts";

/** The server renders shorter formulas than the page of one person: 1,000 characters take at most 20 ms. */
const charactersMax = 1_000;
/** Time for the new formulas of one message. The others are shown as TeX. */
const messageMs = 50;
/** Characters of TeX and MathML that are kept. A message that is being written is rendered again and again. */
const keptCharacters = 4 * 1024 * 1024;

/** Renders formulas as text, without links, ids and styles except colours. `now` in milliseconds. */
export function createTexMarkup(now: () => number = () => performance.now()): {
  forMessage(): FormulaMarkup;
} {
  const kept = new Map<string, string | undefined>();
  let characters = 0;

  function keep(key: string, markup: string | undefined): void {
    const size = key.length + (markup?.length ?? 0);
    if (characters + size > keptCharacters) {
      kept.clear();
      characters = 0;
    }
    kept.set(key, markup);
    characters += size;
  }

  return {
    forMessage() {
      let spentMs = 0;
      return (tex, isDisplay) => {
        if (tex.length > charactersMax || !isBounded(tex)) return undefined;
        const key = `${isDisplay ? "display" : "inline"} ${tex}`;
        if (kept.has(key)) return kept.get(key);
        if (spentMs >= messageMs) return undefined;
        const startedAt = now();
        const markup = markupOf(tex, isDisplay);
        spentMs += now() - startedAt;
        keep(key, markup);
        return markup;
      };
    },
  };
}

function markupOf(tex: string, isDisplay: boolean): string | undefined {
  try {
    const markup = temml.renderToString(tex, { ...texOptions, displayMode: isDisplay });
    if (/<a[\s>]/.test(markup)) return undefined;
    // In text and in values, Temml escapes angle brackets and quotes. The policy of the page forbids styles, but MathML
    // has colours as attributes.
    return markup
      .replaceAll(/ style="([^"]*)"/g, (_, style: string) => colorsOf(style))
      .replaceAll(/ id="[^"]*"/g, "");
  } catch {
    return undefined;
  }
}

/** The colours of a style as attributes. White letters need the background that they are written on. */
function colorsOf(style: string): string {
  const color = /(?:^|;)\s*color:\s*(#[0-9a-f]{3,8}|[a-z]+)/i.exec(style)?.[1];
  const background = /(?:^|;)\s*background(?:-color)?:\s*(#[0-9a-f]{3,8}|[a-z]+)/i.exec(style)?.[1];
  return (
    (color === undefined ? "" : ` mathcolor="${color}"`) +
    (background === undefined ? "" : ` mathbackground="${background}"`)
  );
}
