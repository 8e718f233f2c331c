import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { api } from "#contract/api.ts";
import { kinds } from "#contract/parts/kinds.ts";
import {
  forbiddenImports,
  importsAcrossLayers,
  restrictedGlobals,
  loadedInBrowser,
  restrictedPackages,
  deadPaths,
  fileCycles,
  foldersTooLarge,
  filesTooLong,
  pathsIn,
  sharedTables,
  smallFiles,
  twins,
} from "./house/violations.ts";
import { headingsIn, linksIn } from "./house/links.ts";
import { kindsIn, partListsIn } from "./house/part-lists.ts";
import { longFiles } from "./house/rules.ts";
import { styleClassFaults } from "./house/style-classes.ts";
import { parseSource, readSources } from "./house/sources.ts";

const root = join(import.meta.dirname, "..");
const sources = readSources(root);

describe("the house", () => {
  test("is read completely", () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(100);
    expect(sources.flatMap(({ writes }) => writes).length).toBeGreaterThan(5);
  });

  test("has only imports that the table of modules allows", () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  test("has layers inside the server, storage and the web app", () => {
    expect(sources.flatMap(importsAcrossLayers)).toEqual([]);
  });

  test("has no file cycles, type-only imports included", () => {
    const product = sources.filter(({ path }) => /^(contract|storage|server|web|cli)\//.test(path));
    expect(fileCycles(product)).toEqual([]);
  });

  test("imports restricted packages only where they are allowed", () => {
    expect(sources.flatMap(restrictedPackages)).toEqual([]);
  });

  test("loads no schemas and no lists of facts into the browser", () => {
    expect(loadedInBrowser(sources)).toEqual([]);
  });

  test("reads settings in one place, and fetches in one place", () => {
    expect(sources.flatMap(restrictedGlobals)).toEqual([]);
  });

  test("has one writer for each table", () => {
    expect(sharedTables(sources)).toEqual([]);
  });

  test("has no files that are too long", () => {
    expect(sources.flatMap(filesTooLong)).toEqual([]);
    const unneeded = Object.keys(longFiles).filter((path) => sources.every((source) => source.path !== path));
    expect(unneeded, "excepted files that are gone").toEqual([]);
  });

  test("has no folders with too many files", () => {
    expect(foldersTooLarge(sources.map(({ path }) => path))).toEqual([]);
  });

  test("has one file of each name in a module, except by convention", () => {
    expect(twins(sources.map(({ path }) => path))).toEqual([]);
  });

  test("has no small file for one importer beside it", () => {
    const hasTest = (path: string) =>
      [".test.ts", ".test.tsx"].some((end) => existsSync(`${root}/${path.replace(/\.tsx?$/, end)}`));
    expect(smallFiles(sources, hasTest)).toEqual([]);
  });

  // When an element is inserted beside others, browsers compute all styles below its parent again if any rule is `a + *`.
  test("has no style rule for every element that follows another one", () => {
    const found = sources.filter(
      ({ path }) => path.endsWith(".css") && /[+~]\s*\*/.test(readFileSync(`${root}/${path}`, "utf8")),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test("declares each class that is used, and uses each that is declared", () => {
    const texts = sources
      .filter(({ path }) => path.startsWith("web/"))
      .map(({ path }) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));
    expect(styleClassFaults(texts)).toEqual([]);
  });

  test("has no address in the web app that leaves out the path of the server", () => {
    const faults = [
      // The router adds the path itself, and `inApp` of web/lib/base-path.ts elsewhere.
      /\b(?:src|href|action|poster)=(?:"|\{[`"])\/(?!\/)/,
      /\b(?:assign|replace|open|fetch|URL|Worker)\(\s*[`"]\/(?!\/)/,
      /location\.origin\}/,
      // What all pages of an origin share has a name of `nameHere`.
      /new BroadcastChannel\(["`]|\blocalStorage\.|\bsessionStorage\.(?!\w+\(key\b)|\bcreateStore\("[^"]*",/,
    ];
    const files = sources.filter(({ path }) => /^web\/(?!testing\/|.*\.test\.)/.test(path));
    const lines = files.flatMap(({ path }) =>
      readFileSync(`${root}/${path}`, "utf8")
        .split("\n")
        .filter((line) => faults.some((fault) => fault.test(line)))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(lines).toEqual([]);
  });

  test("exports each name once in the web app, except one per language", () => {
    const names = sources
      .filter(({ path }) => /^web\/(?!i18n\/)(?!.*\/texts\/).*\.tsx?$/.test(path))
      .flatMap(({ path }) =>
        Array.from(
          readFileSync(`${root}/${path}`, "utf8").matchAll(
            /^export (?:async )?(?:function|type|interface|const|class) (\w+)/gm,
          ),
          ([, name]) => name,
        ),
      );
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("has every part kind in every list that docs/development.md names, and a file of it beside the list", () => {
    const lists = partListsIn(readFileSync(`${root}/docs/development.md`, "utf8"));
    expect(lists.map(({ path }) => path.split("/")[0])).toEqual(["contract", "server", "web"]);
    for (const { name, path } of lists) {
      expect(kindsIn(readFileSync(`${root}/${path}`, "utf8"), name), path).toEqual(
        Object.keys(kinds).toSorted(),
      );
      const files = readdirSync(dirname(`${root}/${path}`)).map((file) => file.replace(/\.tsx?$/, ""));
      expect(files, path).toEqual(expect.arrayContaining(Object.keys(kinds)));
    }
  });

  test("has each endpoint in one contract file and in one module's routes, as docs/development.md says", () => {
    const texts = sources.map(({ path }) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));
    for (const name of Object.keys(api)) {
      const places = texts.filter(({ text }) => text.includes(`"${name}":`) || text.includes(`"${name}"(`));
      const paths = places.map(({ path }) => path);
      expect(
        paths.filter((path) => path.startsWith("contract/")),
        name,
      ).toEqual([expect.stringMatching(/^contract\/(endpoints\/[\w-]+|[\w-]+\/endpoints)\.ts$/)]);
      const routes = places.filter(
        ({ path, text }) => /^server\/.*\/routes\.ts$/.test(path) || /function \w+Routes\(/.test(text),
      );
      expect(
        routes.map(({ path }) => path),
        name,
      ).toHaveLength(1);
    }
  });

  test("has only links to files and headings that exist in its documents", () => {
    const pages = [
      "README.md",
      ...readdirSync(`${root}/docs`, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".md"))
        .map((path) => `docs/${path}`),
    ];
    const read = (path: string) => readFileSync(`${root}/${path}`, "utf8");
    const dead = pages.flatMap((page) =>
      linksIn(read(page))
        .filter(({ path, heading }) => {
          const target = path === "" ? page : posix.join(dirname(page), path);
          return (
            !existsSync(`${root}/${target}`) || (heading !== "" && !headingsIn(read(target)).has(heading))
          );
        })
        .map(({ path, heading }) => `${page}: ${path}${heading && `#${heading}`}`),
    );
    expect(dead).toEqual([]);
  });

  test.for([
    "docs/house.md",
    "docs/life-of-a-message.md",
    "docs/development.md",
    "docs/architecture.md",
    "docs/glossary.md",
  ])("is as %s says", (page) => {
    const text = readFileSync(`${root}/${page}`, "utf8");
    expect(pathsIn(text).length, "paths in backticks").toBeGreaterThan(0);
    expect(deadPaths(page, text, (path) => existsSync(`${root}/${path}`))).toEqual([]);
  });
});

describe("the checks of the house", () => {
  test("find a forbidden import, relative, by name, of a type, dynamic or re-exported", () => {
    const lines = [
      `import { runs } from "#server/runs/lifecycle/runs.ts";`,
      `import type { Runs } from "../../server/runs/lifecycle/runs.ts";`,
      `export { runs } from "#server/runs/lifecycle/runs.ts";`,
      `const late = await import("#server/runs/lifecycle/runs.ts");`,
      `let typed: import("#server/runs/lifecycle/runs.ts").Runs;`,
    ];
    for (const line of lines) {
      expect(forbiddenImports(parseSource("web/data/a.ts", line)), line).toEqual([
        expect.stringMatching(
          /^web\/data\/a\.ts:1 imports server\/runs\/lifecycle\/runs\.ts, but web\/ may import only contract\//,
        ),
      ]);
    }
    expect(
      forbiddenImports(parseSource("server/runs/a.ts", `import "#contract/ids.ts"; import "node:fs";`)),
    ).toEqual([]);
  });

  test("find a schema that the web app loads through other files, but not types and replaced modules", () => {
    const found = (path: string, line: string) =>
      loadedInBrowser([
        parseSource("web/data/a.ts", `import { b } from "#contract/b.ts";`),
        parseSource("contract/b.ts", line),
        parseSource(path, `import * as z from "zod/mini"; export const c = z.string();`),
      ]);
    expect(found("contract/c.ts", `export { c } from "./c.ts";`)).toEqual([
      expect.stringMatching(/^web\/data\/a\.ts -> contract\/b\.ts -> contract\/c\.ts -> zod: /),
    ]);
    expect(found("contract/c.ts", `import type { c } from "./c.ts";`)).toEqual([]);
    expect(found("contract/c.ts", `import { type c } from "./c.ts";`)).toEqual([]);
    expect(found("contract/limits.ts", `import { c } from "./limits.ts";`)).toEqual([]);
  });

  test("find an import from a higher layer of the server or the same one", () => {
    const seen = (path: string, target: string) =>
      importsAcrossLayers(parseSource(path, `import "#server/${target}";`)).length;
    expect(seen("server/threads/threads.ts", "runs/lifecycle/runs.ts")).toBe(1);
    expect(seen("server/messages/messages.ts", "tools/tools.ts")).toBe(1);
    expect(seen("server/lib/errors.ts", "auth/auth.ts")).toBe(1);
    expect(seen("server/runs/lifecycle/runs.ts", "attic/attic.ts")).toBe(1);
    expect(seen("server/runs/lifecycle/runs.ts", "threads/threads.ts")).toBe(0);
    expect(seen("server/threads/threads.ts", "lib/errors.ts")).toBe(0);
    expect(seen("server/app/compose.ts", "http/app.ts")).toBe(0);
  });

  test("find an import from a higher layer of the web app or the same one", () => {
    const seen = (path: string, target: string) =>
      importsAcrossLayers(parseSource(path, `import "../${target}";`)).length;
    expect(seen("web/ui/button.tsx", "composer/composer.tsx")).toBe(1);
    expect(seen("web/thread/message.tsx", "sidebar/sidebar.tsx")).toBe(1);
    expect(seen("web/composer/composer.tsx", "ui/button.tsx")).toBe(0);
    expect(seen("web/i18n/translate.ts", "screens/prompts/texts/en.ts")).toBe(1);
    expect(seen("web/i18n/en/texts.ts", "../screens/prompts/texts/en.ts")).toBe(0);
    expect(seen("web/i18n/en/texts.ts", "../screens/prompts/prompts-screen.tsx")).toBe(1);
  });

  test("find two files of one name", () => {
    expect(twins(["server/a/queue.ts", "web/queue.ts", "server/b/queue.test.ts"])).toEqual([]);
    expect(twins(["server/a/rows.ts", "server/b/rows.ts", "web/data/tags.ts", "web/ui/tags.tsx"])).toEqual(
      [],
    );
    expect(twins(["server/a/queue.ts", "server/b/queue.ts"])).toEqual([
      expect.stringMatching(/^server\/a\/queue\.ts.*server\/b\/queue\.ts have the same name/),
    ]);
  });

  test("find a small file that one file beside it imports", () => {
    const small = parseSource("server/runs/a.ts", "export const a = 1;\n");
    const importer = parseSource("server/runs/b.ts", `import { a } from "./a.ts";`);
    const none = () => false;
    expect(smallFiles([small, importer], none)).toEqual([
      expect.stringMatching(/^server\/runs\/a\.ts has 1 line/),
    ]);
    expect(smallFiles([small, importer], () => true)).toEqual([]);
    expect(smallFiles([small, importer, { ...importer, path: "server/runs/c.ts" }], none)).toEqual([]);
    expect(smallFiles([small, { ...importer, path: "server/live/b.ts" }], none)).toEqual([]);
    const lazy = parseSource("server/runs/b.ts", `await import("./a.ts");`);
    expect(smallFiles([small, lazy], none)).toEqual([]);
    const long = parseSource("server/runs/a.ts", "\n".repeat(40));
    expect(smallFiles([long, importer], none)).toEqual([]);
  });

  test("find classes that are used and not declared, and the other way round", () => {
    const view = (className: string) => ({
      path: "web/ui/a.tsx",
      text: `import styles from "./a.module.css";\n<p className=${className}/>`,
    });
    const sheet = { path: "web/ui/a.module.css", text: ".a {\n  composes: row from global;\n}\n" };
    const vocabulary = { path: "web/styles/vocabulary.css", text: "@layer v { .row { display: flex; } }" };
    const found = (className: string) => styleClassFaults([view(className), sheet, vocabulary]);
    expect(found(`{styles["a"]}`)).toEqual([]);
    expect(found(`{styles["b"]}`)).toHaveLength(2);
    expect(found(`"raw"`)).toHaveLength(2);
    expect(
      styleClassFaults([view(`{styles["a"]}`), { ...sheet, text: ".a { gap: 1px; }" }, vocabulary]),
    ).toEqual(["The class row of web/styles/ is used by nothing"]);
  });

  test("find a folder with too many files", () => {
    const files = Array.from({ length: 21 }, (_, index) => `web/ui/${index}.tsx`);
    expect(foldersTooLarge(files)).toEqual([expect.stringMatching(/^web\/ui\/ has 21 source files/)]);
    expect(foldersTooLarge([...files.slice(1), "web/ui/1.test.tsx", "web/ui/menu/menu.tsx"])).toEqual([]);
  });

  test("find an import from a higher layer of storage or the same one", () => {
    const seen = (path: string, target: string) =>
      importsAcrossLayers(parseSource(path, `import "../${target}";`)).length;
    expect(seen("storage/database/open.ts", "log/log.ts")).toBe(1);
    expect(seen("storage/log/log.ts", "blobs/disk.ts")).toBe(1);
    expect(seen("storage/migrations/migrate.ts", "database/tables.ts")).toBe(1);
    expect(seen("storage/lib/errors.ts", "log/log.ts")).toBe(1);
    expect(seen("storage/log/log.ts", "attic/attic.ts")).toBe(1);
    expect(seen("storage/log/log.ts", "database/database.ts")).toBe(0);
    expect(seen("storage/backup/backup.ts", "blobs/blobs.ts")).toBe(0);
    expect(seen("storage/database/sqlite/sqlite.ts", "../lib/errors.ts")).toBe(0);
  });

  test("find import cycles, also of types and through other files", () => {
    const one = parseSource("storage/log/a.ts", `import { b } from "./b.ts";`);
    const two = parseSource("storage/log/b.ts", `import type { C } from "../c.ts";`);
    const three = parseSource("storage/c.ts", `import type { A } from "#storage/log/a.ts";`);
    const leaf = parseSource("storage/c.ts", `import { sql } from "kysely";`);
    expect(fileCycles([one, two, three])).toEqual([
      "storage/log/a.ts -> storage/log/b.ts -> storage/c.ts -> storage/log/a.ts",
    ]);
    expect(fileCycles([one, two, leaf])).toEqual([]);
  });

  test("find imports of restricted packages", () => {
    const seen = (path: string, line: string) => restrictedPackages(parseSource(path, line)).length;
    expect(seen("server/runs/lifecycle/runs.ts", `import { streamText } from "ai";`)).toBe(1);
    expect(seen("server/models/models.ts", `import { streamText } from "ai";`)).toBe(0);
    expect(seen("contract/ids.ts", `import { randomBytes } from "node:crypto";`)).toBe(1);
    expect(seen("web/thread/thread.tsx", `import { useLocalRuntime } from "@assistant-ui/react";`)).toBe(1);
    expect(seen("web/thread/thread.tsx", `import { ThreadPrimitive } from "@assistant-ui/react";`)).toBe(0);
    expect(seen("server/threads/rows.ts", `import { sql } from "kysely";`)).toBe(1);
    expect(seen("server/threads/routes.ts", `import { Hono } from "hono/tiny";`)).toBe(1);
    expect(seen("server/files/serving/downloads.ts", `import sharp from "sharp";`)).toBe(1);
    expect(seen("server/threads/routes.ts", `import { request } from "node:http";`)).toBe(1);
    expect(seen("server/http/body/read-bytes.ts", `import type { IncomingMessage } from "node:http";`)).toBe(
      0,
    );
    expect(seen("server/threads/routes.ts", `import { lookup } from "node:dns/promises";`)).toBe(1);
    expect(seen("server/fetch/connect.ts", `import { connect } from "node:tls";`)).toBe(0);
  });

  test("find settings and calls in the wrong place", () => {
    const seen = (path: string, line: string) => restrictedGlobals(parseSource(path, line)).length;
    expect(seen("server/runs/lifecycle/runs.ts", `const port = process.env.PORT;`)).toBe(1);
    expect(seen("server/settings/settings.ts", `const port = process.env.PORT;`)).toBe(0);
    expect(seen("web/thread/thread.tsx", `await fetch("/v1/threads");`)).toBe(1);
    expect(seen("web/thread/thread.tsx", `await window.fetch("/v1/threads");`)).toBe(1);
    expect(seen("web/data/calls.ts", `await fetch("/v1/threads");`)).toBe(0);
    expect(seen("server/pdf/source.ts", `await fetch(body.file_url);`)).toBe(1);
  });

  test("find a table with two writers, with the query builder or in SQL", () => {
    const owner = parseSource("server/threads/rows.ts", `db.insertInto("threads").values(row);`);
    const built = parseSource("server/messages/rows.ts", `db.updateTable("threads as t").set(row);`);
    const written = parseSource("server/messages/rows.ts", "sql`update threads set title = ${title}`;");
    const owned = parseSource("server/shares/rows.ts", `const owned = ownedRows("threads", "workspace_id");`);
    const migration = parseSource("storage/migrations/1.ts", `db.deleteFrom("threads");`);
    expect(sharedTables([owner, migration])).toEqual([]);
    expect(sharedTables([owner, built])).toEqual([expect.stringContaining("server/messages/rows.ts:1")]);
    expect(sharedTables([owner, owned])).toEqual([expect.stringContaining("server/shares/rows.ts:1")]);
    expect(sharedTables([owner, written])).toEqual([expect.stringContaining("The table threads")]);
  });

  test("find which kinds a list has, and that it is missing", () => {
    expect(partListsIn("the list is `views` in `web/parts/part-views.ts`, see `docs/house.md`")).toEqual([
      { name: "views", path: "web/parts/part-views.ts" },
    ]);
    const list = `export const views: Views = { text, "tool-call": { View }, ...more };`;
    expect(kindsIn(list, "views")).toEqual(["text", "tool-call"]);
    expect(kindsIn(list, "kinds")).toBeUndefined();
  });

  test("find a file that is too long, and a path that does not exist", () => {
    expect(filesTooLong(parseSource("server/a.ts", "\n".repeat(400)))).toEqual([]);
    expect(filesTooLong(parseSource("server/a.ts", "\n".repeat(401)))).toHaveLength(1);
    const page = "Open `contract/api.ts`, see `GET /v1/threads`, and `server/attic/`.";
    expect(deadPaths("docs/house.md", page, (path) => path === "contract/api.ts")).toEqual([
      "docs/house.md names server/attic/, which does not exist.",
    ]);
  });
});
