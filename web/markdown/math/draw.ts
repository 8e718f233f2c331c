import temml from "temml";
import "temml/dist/Temml-Local.css";
import "./math.css";

/** Longer TeX is not rendered, because rendering blocks the page. No real formula is as long. */
const charactersMax = 5_000;

/** Commands that define macros, which could expand without limit. */
const macroDefinition = /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![A-Za-z])/;

/** Commands that render their content two or three times. Nested, they grow exponentially. */
const doubling = /\\(?:(?:math)?llap|cancelto|equilibrium(?:Right|Left))(?![A-Za-z])/g;
const doublingMax = 4;

/** The largest size that a formula can ask for: in em, and in points. */
const sizeMax: [number, number] = [20, 200];

/**
 * `tex` as MathML; `undefined` if it is invalid or could grow without limit. The result has no links and no ids.
 */
export function renderTex(tex: string, isDisplay: boolean): Element | undefined {
  if (tex.length > charactersMax || macroDefinition.test(tex)) return undefined;
  if ((tex.match(doubling)?.length ?? 0) > doublingMax) return undefined;
  const box = document.createElement("span");
  try {
    temml.render(tex, box, {
      displayMode: isDisplay,
      annotate: true,
      throwOnError: true,
      trust: false,
      maxSize: sizeMax,
    });
  } catch {
    return undefined;
  }
  if (box.querySelector("a") !== null) return undefined;
  for (const named of box.querySelectorAll("[id]")) named.removeAttribute("id");
  return box.firstElementChild ?? undefined;
}
