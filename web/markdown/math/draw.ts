import temml from "temml";
import "temml/dist/Temml-Local.css";
import "./math.css";

/** TeX that is longer is not read: no formula is, and a page waits for it. */
const charactersMax = 20_000;

/** `tex` as MathML; `undefined` where it is no TeX that can be read. Nothing in it can bring an address into the page. */
export function draw(tex: string, isDisplay: boolean): Element | undefined {
  if (tex.length > charactersMax) return undefined;
  const box = document.createElement("span");
  try {
    temml.render(tex, box, { displayMode: isDisplay, annotate: true, throwOnError: true, trust: false });
  } catch {
    return undefined;
  }
  return box.firstElementChild ?? undefined;
}
