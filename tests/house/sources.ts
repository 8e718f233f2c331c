import { readdirSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";
import { allowedImports } from "./rules.ts";

/** `isType`: it disappears when the types are stripped. */
export type Import = { specifier: string; names: string[]; line: number; isType?: true };
export type Use = { name: string; line: number };
/** A table that a query writes to. */
export type Write = { table: string; line: number };

export type Source = {
  /** From the root of the clone, with forward slashes. */
  path: string;
  lines: number;
  imports: Import[];
  globals: Use[];
  writes: Write[];
};

/** All source files in the modules, except tests and the folders `testing`. */
export function readSources(root: string): Source[] {
  return Object.keys(allowedImports).flatMap((module) =>
    filesIn(root, module)
      .filter((path) => /\.(ts|tsx|mjs|css)$/.test(path) && !/\.test\.tsx?$|\/(testing|dist)\//.test(path))
      .map((path) => parseSource(path, readFileSync(`${root}/${path}`, "utf8"))),
  );
}

export function parseSource(path: string, text: string): Source {
  const lines = text.split("\n").length - 1;
  const source: Source = { path, lines, imports: [], globals: [], writes: [] };
  if (path.endsWith(".css")) return source;

  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  const use = (name: string, at: number) => source.globals.push({ name, line: lineOf(at) });

  for (const { moduleRequest, entries, start } of module.staticImports) {
    const names = entries.map(({ importName }) => importName.name ?? importName.kind);
    const isType = entries.length > 0 && entries.every((entry) => entry.isType);
    source.imports.push({
      specifier: moduleRequest.value,
      names,
      line: lineOf(start),
      ...(isType ? { isType } : {}),
    });
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, start, isType } of entries) {
      if (!moduleRequest) continue;
      const names = [importName.name ?? importName.kind];
      source.imports.push({
        specifier: moduleRequest.value,
        names,
        line: lineOf(start),
        ...(isType ? { isType } : {}),
      });
    }
  }
  new Visitor({
    ImportExpression({ source: from, start }) {
      if (from.type !== "Literal" || typeof from.value !== "string") return;
      source.imports.push({ specifier: from.value, names: [], line: lineOf(start) });
    },
    TSImportType({ source: from, start }) {
      source.imports.push({ specifier: from.value, names: [], line: lineOf(start), isType: true });
    },
    MemberExpression({ object, property, start }) {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      if (object.name === "process") use(`process.${property.name}`, start);
      if (/^(globalThis|window|self)$/.test(object.name)) use(property.name, start);
    },
    CallExpression({ callee, arguments: given, start }) {
      if (callee.type === "Identifier") use(callee.name, start);
      const called = callee.type === "MemberExpression" ? callee.property : callee;
      const [table] = given;
      if (called.type !== "Identifier") return;
      if (!/^(insertInto|replaceInto|updateTable|deleteFrom|mergeInto|ownedRows)$/.test(called.name)) return;
      if (table?.type !== "Literal" || typeof table.value !== "string") return;
      source.writes.push({ table: firstWord(table.value), line: lineOf(start) });
    },
    TemplateElement({ value, start }) {
      // SQL in strings. Only at the beginning, because a sentence may contain the word update.
      const written = /^\s*(?:insert into|update|delete from|replace into)\s+"?([a-z_]+)"?\s/i.exec(
        value.raw,
      );
      if (written?.[1]) source.writes.push({ table: written[1], line: lineOf(start) });
    },
  }).visit(program);
  return source;
}

function filesIn(root: string, module: string): string[] {
  try {
    return readdirSync(`${root}/${module}`, { recursive: true, encoding: "utf8" }).map(
      (name) => `${module}/${name.replaceAll("\\", "/")}`,
    );
  } catch {
    // A module that does not exist.
    return [];
  }
}

/** The table of `threads as t` is `threads`. */
function firstWord(text: string): string {
  return text.trim().split(/\s/)[0] ?? text;
}
