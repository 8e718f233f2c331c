import { posix } from "node:path";
import {
  allowedImports,
  connectedModules,
  layers,
  restrictedNames,
  linesPerFileMax,
  longFiles,
  notInBrowser,
  onlyPackages,
  foldersByNoun,
  largeFolders,
  filesPerFolderMax,
  keptSmall,
  roleNames,
  smallFileLines,
  storageLayers,
  replacedByValues,
  restrictedImports,
  webLayers,
  writesForOthers,
  textLists,
} from "./rules.ts";
import type { Import, Source } from "./sources.ts";

/** Imports that the table of modules does not allow. */
export function forbiddenImports({ path, imports }: Source): string[] {
  const module = moduleOf(path);
  const allowed = allowedImports[module] ?? [];
  return inside(path, imports).flatMap(({ target, line }) => {
    const there = moduleOf(target);
    if (there === module || allowed.includes(there)) return [];
    return [
      `${path}:${line} imports ${target}, but ${module}/ may import ${listed(allowed)}. ` +
        `Move what both need into a module that both may import, or pass it in as a parameter.`,
    ];
  });
}

/** Imports inside server/, storage/ or web/ from the same layer or one above. */
export function importsAcrossLayers({ path, imports }: Source): string[] {
  const module = moduleOf(path);
  const rule = layersByModule[module];
  if (rule === undefined) return [];
  const from = innerModuleOf(path);
  return inside(path, imports).flatMap(({ target, line }) => {
    if (moduleOf(target) !== module) return [];
    if (textLists.from.test(path) && textLists.to.test(target)) return [];
    const to = innerModuleOf(target);
    const [own, other] = [layerOf(rule.layers, from), layerOf(rule.layers, to)];
    if (own === undefined || other === undefined) {
      return [
        `${path}:${line}: ${module}/${own === undefined ? from : to} is on no layer. Give it one in tests/house/rules.ts.`,
      ];
    }
    if (from === to || other < own) return [];
    if (own === other && module === "server" && from in connectedModules && to in connectedModules) return [];
    return [
      `${path}:${line} imports ${target}, but ${from} (layer ${own}) may import only lower layers, and ${to} is on layer ${other}. ` +
        `${rule.remedy}, or move what is shared to a lower layer.`,
    ];
  });
}

const layersByModule: Record<string, { layers: readonly (readonly string[])[]; remedy: string } | undefined> =
  {
    server: { layers, remedy: "Pass it in from server/app/compose-modules.ts" },
    storage: { layers: storageLayers, remedy: "Hand it in from outside" },
    web: { layers: webLayers, remedy: "Hand it in as a prop or a context" },
  };

/** Files that import each other, directly or through others. Type-only imports count. */
export function fileCycles(sources: Source[]): string[] {
  const targets = new Map(
    sources.map(({ path, imports }) => [path, inside(path, imports).map(({ target }) => target)]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(" -> "));
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  }
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

/** What the web app loads of the contract although it must not, through which files. */
export function loadedInBrowser(sources: Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const seen = new Set(replacedByValues);
  const found: string[] = [];
  function visit({ path, imports }: Source, trail: string[]): void {
    if (seen.has(path)) return;
    seen.add(path);
    const values = imports.filter(({ isType }) => isType !== true);
    const targets = inside(path, values).map(({ target }) => target);
    for (const target of [...targets, ...values.map(({ specifier }) => specifier.split("/")[0]!)]) {
      const because = notInBrowser[target];
      if (because) found.push(`${[...trail, path, target].join(" -> ")}: ${because}.`);
    }
    for (const target of targets) {
      const next = byPath.get(target);
      if (next && !(target in notInBrowser)) visit(next, [...trail, path]);
    }
  }
  for (const source of sources) if (moduleOf(source.path) === "web") visit(source, []);
  return found;
}

/** Packages and their members outside of the one place that may import them. */
export function restrictedPackages({ path, imports }: Source): string[] {
  const module = moduleOf(path);
  // Tests and benchmarks may import restricted packages.
  if (["tests", "e2e", "bench", "drill", "scripts"].includes(module)) return [];
  return imports.flatMap((imported) => {
    const limit = onlyPackages[module];
    if (limit && isPackage(imported) && !limit.packages.test(imported.specifier)) {
      return [
        `${path}:${imported.line} imports ${imported.specifier}, which ${module}/ may not: ${limit.because}.`,
      ];
    }
    return restrictedImports
      .filter(({ packages, names, onlyIn }) => {
        const isMeant =
          packages.test(imported.specifier) && (!names || imported.names.some((name) => names.test(name)));
        return isMeant && !startsWithOneOf(path, onlyIn);
      })
      .map(
        ({ onlyIn, because, names }) =>
          `${path}:${imported.line} imports ${names ? `${imported.names.join(", ")} of ` : ""}${imported.specifier}, ` +
          `which belongs in ${onlyIn.join(" or ")} only: ${because}.`,
      );
  });
}

export function restrictedGlobals({ path, globals }: Source): string[] {
  return restrictedNames.flatMap(({ name, modules, onlyIn, because }) => {
    if (!modules.some((module) => module === moduleOf(path)) || startsWithOneOf(path, onlyIn)) return [];
    return globals
      .filter((used) => used.name === name)
      .map(
        ({ line }) =>
          `${path}:${line} uses ${name}, which belongs in ${onlyIn.join(" or ")} only: ${because}.`,
      );
  });
}

/** Tables that more than one module writes. */
export function sharedTables(sources: Source[]): string[] {
  const writers = new Map<string, Map<string, string>>();
  for (const { path, writes } of sources) {
    if (!["server", "storage", "cli"].includes(moduleOf(path))) continue;
    if (startsWithOneOf(path, Object.keys(writesForOthers))) continue;
    for (const { table, line } of writes) {
      const places = writers.get(table) ?? new Map<string, string>();
      writers.set(table, places.set(path.split("/").slice(0, 2).join("/"), `${path}:${line}`));
    }
  }
  return [...writers]
    .filter(([, places]) => places.size > 1)
    .map(
      ([table, places]) =>
        `The table ${table} is written in ${[...places.values()].join(" and ")}. ` +
        `A table is written by one module; other modules call that module.`,
    );
}

export function filesTooLong({ path, lines }: Source): string[] {
  if (lines <= linesPerFileMax || path in longFiles) return [];
  return [
    `${path} has ${lines} lines; past ${linesPerFileMax} a file is usually two things. ` +
      `Divide it, or give its reason in tests/house/rules.ts.`,
  ];
}

/** Folders with too many source files in one flat list. */
export function foldersTooLarge(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!/\.tsx?$/.test(path) || /\.test\./.test(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > filesPerFolderMax && !(folder in largeFolders))
    .map(
      ([folder, count]) =>
        `${folder}/ has ${count} source files; past ${filesPerFolderMax} a folder is usually two. ` +
        `Divide it, or give its reason in tests/house/rules.ts.`,
    );
}

/** Files of one module of the product with the same base name, except those that the convention allows. */
export function twins(paths: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    if (!/^(contract|storage|server|web|cli)\/.*\.(tsx?|mjs)$/.test(path) || /\.test\./.test(path)) continue;
    const name = posix.basename(path).replace(/\.\w+$/, "");
    if (roleNames.includes(name) || foldersByNoun.test(path)) continue;
    const key = `${moduleOf(path)}/${name}`;
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map(
      (group) =>
        `${group.join(" and ")} have the same name. Say in it what each is, or add a role to tests/house/rules.ts.`,
    );
}

/**
 * Small files that only one file imports, in the same folder, except those that `keptSmall` and the convention keep. Files
 * with a test, which is a second importer, stay too: `hasTest`.
 */
export function smallFiles(sources: readonly Source[], hasTest: (path: string) => boolean): string[] {
  const importers = new Map<string, Set<string>>();
  const lazy = new Set<string>();
  for (const { path, imports } of sources)
    for (const { target, names } of inside(path, imports)) {
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
      if (names.length === 0) lazy.add(target);
    }
  return sources.flatMap(({ path, lines, imports }) => {
    const [importer, ...others] = importers.get(path) ?? [];
    if (!/^(contract|storage|server|web|cli)\/.*\.tsx?$/.test(path) || lines >= smallFileLines) return [];
    if (importer === undefined || others.length > 0 || posix.dirname(importer) !== posix.dirname(path))
      return [];
    const hasStyles = imports.some(({ specifier }) => specifier.endsWith(".module.css"));
    const isRole = roleNames.includes(posix.basename(path).replace(/\.\w+$/, ""));
    if (hasStyles || isRole || lazy.has(path) || hasTest(path)) return [];
    if (keptSmall.some(({ files }) => files.test(path))) return [];
    return [
      `${path} has ${lines} lines and only ${importer} imports it. Merge them, or say in tests/house/rules.ts why not.`,
    ];
  });
}

/** Paths in backticks that do not exist. */
export function deadPaths(page: string, text: string, exists: (path: string) => boolean): string[] {
  return pathsIn(text)
    .filter((path) => !exists(path))
    .map((path) => `${page} names ${path}, which does not exist.`);
}

/** The paths in backticks on a page that begin with a module. */
export function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, word = ""]) => word);
  return quoted.filter(
    (word) => /^[\w.-]+(\/[\w.-]+)*\/?$/.test(word) && word.includes("/") && moduleOf(word) in allowedImports,
  );
}

function moduleOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function innerModuleOf(path: string): string {
  return path.split("/")[1] ?? path;
}

function layerOf(all: readonly (readonly string[])[], innerModule: string): number | undefined {
  const layer = all.findIndex((modules) => modules.includes(innerModule));
  return layer >= 0 ? layer : undefined;
}

/** The imports of files in this repository, with their resolved paths. */
function inside(path: string, imports: Import[]): { target: string; names: string[]; line: number }[] {
  return imports
    .filter((imported) => !isPackage(imported))
    .map(({ specifier, names, line }) => ({
      line,
      names,
      target: specifier.startsWith("#") ? specifier.slice(1) : posix.join(posix.dirname(path), specifier),
    }));
}

function isPackage({ specifier }: Import): boolean {
  return !specifier.startsWith(".") && !specifier.startsWith("#");
}

function startsWithOneOf(path: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => path.startsWith(beginning));
}

function listed(modules: readonly string[]): string {
  return modules.length === 0
    ? "no other module"
    : `only ${modules.map((module) => `${module}/`).join(", ")}`;
}
