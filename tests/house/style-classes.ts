import { dirname, join } from "node:path/posix";

export type SourceText = { path: string; text: string };

/** The sheets whose classes have the same name everywhere. */
const globalSheets = ["web/styles/vocabulary.css", "web/styles/base.css"];

/** Classes that no module declares and none uses, by what makes the elements: the highlighter of code. */
const madeElsewhere = /^hljs-/;

/**
 * Class names that are used and not declared, which the build does not notice, or declared and not used: those of modules
 * (`styles["row"]`), and those of the vocabulary (`className="row"`, `composes: row from global`).
 */
export function styleClassFaults(sources: readonly SourceText[]): string[] {
  const modules = new Map(
    sources.flatMap(({ path, text }) =>
      path.endsWith(".module.css") ? [[path, { declared: classesOf(text), used: new Set<string>() }]] : [],
    ),
  );
  // `export { styles as fieldStyles }`. The web app exports each name once.
  const exported = sources.flatMap((source) =>
    modulesIn(source).flatMap(([local, module]): [string, string][] => {
      const name = new RegExp(String.raw`export \{ ${local} as (\w+) \}`).exec(source.text)?.[1];
      return name === undefined ? [] : [[name, module]];
    }),
  );
  const faults: string[] = [];
  const shared = new Set(
    sources.filter(({ path }) => globalSheets.includes(path)).flatMap(({ text }) => [...classesOf(text)]),
  );
  const sharedUsed = new Set<string>();
  const takeShared = (path: string, names: string) => {
    for (const name of names.split(" ")) {
      sharedUsed.add(name);
      if (!shared.has(name)) faults.push(`${path} uses the class ${name}, which no sheet declares`);
    }
  };
  const takeFrom = (path: string, module: string, name: string) => {
    modules.get(module)?.used.add(name);
    if (modules.get(module)?.declared.has(name) !== true)
      faults.push(`${path} uses the class ${name}, which ${module} does not declare`);
  };
  for (const { path, text } of sources) {
    for (const [, names = ""] of text.matchAll(/className="([^"]+)"/g)) takeShared(path, names);
    for (const [, names = "", from] of text.matchAll(/composes: ([\w\s-]+?)(?: from (.+))?;/g))
      if (from === "global") takeShared(path, names);
      else for (const name of names.split(" ")) takeFrom(path, from ? resolve(path, from) : path, name);
    for (const [local, module] of [...modulesIn({ path, text }), ...exported]) {
      for (const [, key = ""] of text.matchAll(new RegExp(String.raw`\b${local}\[([^\]]+)\]`, "g"))) {
        const names = [...key.matchAll(/"([\w-]+)"/g)].map(([, name]) => name!);
        for (const name of names) takeFrom(path, module, name);
        if (names.length === 0) faults.push(`${path} does not name the class of ${local}[${key}]`);
      }
    }
  }
  for (const [path, { declared, used }] of modules)
    for (const name of declared)
      if (!used.has(name) && !madeElsewhere.test(name))
        faults.push(`${path} declares ${name}, which nothing uses`);
  for (const name of shared)
    if (!sharedUsed.has(name)) faults.push(`The class ${name} of web/styles/ is used by nothing`);
  return faults;
}

/** The style modules that a file imports, by their local names. */
function modulesIn({ path, text }: SourceText): [string, string][] {
  const imports = text.matchAll(/^import (\w+) from ("[^"]+\.module\.css");/gm);
  return Array.from(imports, ([, local = "", from = ""]) => [local, resolve(path, from)]);
}

function resolve(path: string, quoted: string): string {
  const specifier = quoted.slice(1, -1);
  return specifier.startsWith("#web/") ? specifier.slice(1) : join(dirname(path), specifier);
}

function classesOf(css: string): Set<string> {
  const selectors = css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/[^{};]*;/g, "");
  return new Set(Array.from(selectors.matchAll(/\.([a-zA-Z][\w-]*)/g), ([, name]) => name!));
}
