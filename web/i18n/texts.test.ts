import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";
import { strings } from "./en/strings.ts";
import { texts } from "./en/texts.ts";
import type { StringKey, TextsName } from "./language.ts";

/** A part of the page that loads later, with the texts that `lazyScreen` or another such call loads with it. */
type LaterImport = { from: string; path: string; texts: TextsName[] | undefined };

const names = Object.keys(texts) as TextsName[];
const keysOf = new Map<TextsName | "page", readonly string[]>([["page", Object.keys(strings)]]);
for (const name of names) keysOf.set(name, Object.keys((await texts[name]()).texts));
const allKeys = [...keysOf.values()].flat() as StringKey[];

const web = join(import.meta.dirname, "..");
const files = new Map(
  readdirSync(web, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^i18n\/(en|ar)\/|\/texts\//.test(path))
    .map((path) => [path, read(path)]),
);
const all = [...files.values()].flatMap((file) => file.later);
// A plain import is of what such a call shows, or shows nothing.
const isShown = (path: string) => all.some((other) => other.texts !== undefined && other.path === path);
const later = all.filter(({ path, texts: loaded }) => loaded !== undefined || !isShown(path));

it("loads each part of the page with all texts that it shows", () => {
  const missing = later.flatMap(({ from, path, texts: loaded = [] }) => {
    const keys = new Set([
      ...(keysOf.get("page") ?? []),
      ...loaded.flatMap((name) => keysOf.get(name) ?? []),
    ]);
    return [...reachable(path)].flatMap((file) =>
      (files.get(file)?.keys ?? [])
        .filter((key) => !keys.has(key))
        .map((key) => `${from} loads ${path} without the text ${key} of ${file}`),
    );
  });
  expect(missing).toEqual([]);
});

it("loads no texts with a part of the page that shows none of them", () => {
  const unneeded = later.flatMap(({ from, path, texts: loaded = [] }) => {
    const shown = new Set([...reachable(path)].flatMap((file) => files.get(file)?.keys ?? []));
    return loaded
      .filter((name) => name !== "screens" && keysOf.get(name)?.every((key) => !shown.has(key)) === true)
      .map((name) => `${from} loads ${path} with the texts ${name}`);
  });
  expect(unneeded).toEqual([]);
});

it("starts with texts that load with the page", () => {
  const page = new Set(keysOf.get("page"));
  const missing = [...reachable("main.ts"), ...reachable("app/start.tsx")].flatMap((file) =>
    (files.get(file)?.keys ?? []).filter((key) => !page.has(key)).map((key) => `${file} shows ${key}`),
  );
  expect(missing).toEqual([]);
});

it("renders shared threads with the texts that their server loads", () => {
  const loaded = new Set(
    [...(["page", "shares", "parts"] as const)].flatMap((name) => keysOf.get(name) ?? []),
  );
  const missing = [
    ...reachable("share/page-renderer.tsx"),
    ...reachable("share/message-renderer.tsx"),
  ].flatMap((file) =>
    (files.get(file)?.keys ?? []).filter((key) => !loaded.has(key)).map((key) => `${file}: ${key}`),
  );
  expect(missing).toEqual([]);
});

/** A file and all that it imports statically. */
function reachable(path: string): Set<string> {
  const found = new Set<string>();
  const add = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const imported of files.get(file)?.imports ?? []) add(imported);
  };
  add(path);
  return found;
}

function read(path: string): { imports: string[]; later: LaterImport[]; keys: string[] } {
  const { program, module } = parseSync(path, readFileSync(join(web, path), "utf8"));
  const resolve = (specifier: string) =>
    specifier.startsWith("#web/")
      ? specifier.slice("#web/".length)
      : posix.join(posix.dirname(path), specifier);
  const isOurs = (specifier: string) => /^(\.|#web\/)/.test(specifier);
  const imports = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
    ),
  ];
  const keys = new Set<string>();
  const imported: { specifier: string; start: number }[] = [];
  const calls: { start: number; end: number; name: string }[] = [];
  const literals: { name: TextsName; start: number }[] = [];
  const endpoints = new Set<number>();
  new Visitor({
    CallExpression({ callee, arguments: [first], start, end }) {
      const name = callee.type === "Identifier" ? callee.name : "";
      if (/^(lazyScreen|createLazyModule|lazy)$/.test(name)) calls.push({ start, end, name });
      if (name === "call" && first) endpoints.add(first.start);
    },
    ImportExpression({ source, start }) {
      if (source.type === "Literal") imported.push({ specifier: String(source.value), start });
    },
    Literal({ value, start }) {
      if (typeof value !== "string" || endpoints.has(start)) return;
      if ((names as string[]).includes(value)) literals.push({ name: value as TextsName, start });
      if ((allKeys as string[]).includes(value)) keys.add(value);
    },
    TemplateLiteral({ quasis: [first] }) {
      const prefix = /^[a-zA-Z]+\.$/.exec(first?.value.raw ?? "")?.[0];
      if (prefix !== undefined) for (const key of allKeys) if (key.startsWith(prefix)) keys.add(key);
    },
  }).visit(program);
  // Endpoints have names like texts.
  const isDataAlone = path.startsWith("data/") && !imports.some((from) => from.endsWith("i18n/translate.ts"));
  return {
    imports: imports.filter(isOurs).map(resolve),
    keys: isDataAlone ? [] : [...keys],
    later: imported
      .filter(({ specifier }) => isOurs(specifier) && /\.tsx?$/.test(specifier))
      .map(({ specifier, start: at }) => {
        const call = calls.find(({ start, end }) => start < at && at < end);
        const own = literals.filter(({ start }) => call && call.start < start && start < call.end);
        const shared: TextsName[] = call?.name === "lazyScreen" ? ["screens"] : [];
        return {
          from: path,
          path: resolve(specifier),
          texts: call && [...shared, ...own.map(({ name }) => name)],
        };
      }),
  };
}
