import type { Root } from "hast";
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** The syntax tree of `code`; `undefined` for an unknown language. */
export function highlight(code: string, language: string): Root | undefined {
  const name = language.toLowerCase();
  return lowlight.registered(name) ? lowlight.highlight(name, code) : undefined;
}
