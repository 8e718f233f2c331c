import { type ESTree, parseSync } from "vite";

/** A list of part kinds: an exported object with a property for each kind. */
export type PartList = { name: string; path: string };

/** The lists that a page names as `name` in `path`. */
export function partListsIn(page: string): PartList[] {
  return [...page.matchAll(/`(\w+)` in `([\w./-]+)`/g)].map(([, name = "", path = ""]) => ({ name, path }));
}

/** The kinds in such a list, sorted; `undefined` if the source does not export it. */
export function kindsIn(source: string, name: string): string[] | undefined {
  for (const node of parseSync("list.ts", source).program.body) {
    if (node.type !== "ExportNamedDeclaration" || node.declaration?.type !== "VariableDeclaration") continue;
    for (const { id, init } of node.declaration.declarations) {
      if (id.type !== "Identifier" || id.name !== name || init?.type !== "ObjectExpression") continue;
      return init.properties
        .flatMap((property) => (property.type === "Property" ? [keyOf(property.key)] : []))
        .toSorted();
    }
  }
  return undefined;
}

function keyOf(key: ESTree.PropertyKey): string {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" ? String(key.value) : "";
}
