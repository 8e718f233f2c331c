import type { Root } from "hast";
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** `code` with the roles of its words; `undefined` for a language that is not known here. */
export function highlight(code: string, language: string): Root | undefined {
  const name = language.toLowerCase();
  return lowlight.registered(name) ? lowlight.highlight(name, code) : undefined;
}
