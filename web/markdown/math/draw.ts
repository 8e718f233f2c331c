import temml from "temml";
import "temml/dist/Temml-Local.css";
import "./math.css";
import { isBounded, texOptions } from "./tex-limits.ts";

/**
 * `tex` as MathML; `undefined` if it is invalid or could grow without limit. The result has no links and no ids.
 */
export function renderTex(tex: string, isDisplay: boolean): Element | undefined {
  if (!isBounded(tex)) return undefined;
  const box = document.createElement("span");
  try {
    temml.render(tex, box, { ...texOptions, displayMode: isDisplay });
  } catch {
    return undefined;
  }
  if (box.querySelector("a") !== null) return undefined;
  for (const named of box.querySelectorAll("[id]")) named.removeAttribute("id");
  return box.firstElementChild ?? undefined;
}
