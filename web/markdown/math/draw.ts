import temml from "temml";
import "temml/dist/Temml-Local.css";
import "./math.css";

/** TeX that is longer is not read: no formula is, and a page waits for it. */
const charactersMax = 5_000;

/** Words of one's own, which may stand for any number of others. */
const definition = /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![A-Za-z])/;

/** These draw what is in them two or three times, and so do those that are in it. */
const doubling = /\\(?:(?:math)?llap|cancelto|equilibrium(?:Right|Left))(?![A-Za-z])/g;
const doublingMax = 4;

/** In em, and in points: what a formula may take. */
const sizeMax: [number, number] = [20, 200];

/**
 * `tex` as MathML; `undefined` where it is no TeX that can be read, or would grow beyond all measure. No address and no
 * name gets into the page by it.
 */
export function draw(tex: string, isDisplay: boolean): Element | undefined {
  if (tex.length > charactersMax || definition.test(tex)) return undefined;
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
