import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** Built classes of style modules have no names: scripts contain them, and a browser loads these first. */
export function shortClassNames(): Plugin {
  return {
    name: "short-class-names",
    apply: "build",
    config: () => ({ css: { modules: { generateScopedName: shortName } } }),
  };
}

/** The sheet, and the number of the class or animation in it. */
function shortName(name: string, _file: string, css: string): string {
  const sheet = createHash("sha256").update(css).digest("base64url").slice(0, 5);
  const names = Array.from(css.matchAll(/(?:\.|@keyframes )([a-zA-Z][\w-]*)/g), ([, found]) => found);
  return `_${sheet}_${[...new Set(names)].indexOf(name)}`;
}
