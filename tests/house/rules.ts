/**
 * The rules of docs/house.md as data: which module may import which, what may be imported only in one place, and the
 * exceptions with their reasons. Tests may import anything.
 */

/** Top-level modules and what each may import besides itself. */
export const allowedImports: Record<string, readonly string[]> = {
  contract: [],
  storage: ["contract"],
  server: ["storage", "contract"],
  web: ["contract"],
  client: ["contract"],
  fixtures: ["contract"],
  cli: ["server", "storage", "contract"],
  e2e: ["client", "contract", "fixtures", "scripts"],
  scripts: [],
  bench: ["cli", "server", "storage", "web", "contract", "fixtures", "scripts", "tests", "e2e"],
  drill: ["storage", "contract", "fixtures", "scripts", "tests"],
  tests: ["cli", "server", "storage", "web", "client", "contract", "fixtures", "scripts", "e2e"],
};

/**
 * The layers inside server/, from the lowest. A module imports from lower layers only. `main.mjs` is the only file outside the
 * modules.
 */
export const layers: readonly (readonly string[])[] = [
  ["lib"],
  ["settings", "child-process", "extras", "metrics"],
  ["audit", "fetch", "jobs"],
  ["apps", "people", "sign-in"],
  ["live", "search", "pdf", "quota"],
  ["assistants"],
  ["threads", "files"],
  ["parts"],
  ["messages", "models", "tools"],
  ["extraction", "tool-servers"],
  ["browsing"],
  ["runs"],
  ["protocol", "openai"],
  ["transfer", "shares"],
  ["admin"],
  ["app", "http"],
  ["main.mjs"],
];

/** Modules of server/ that may also import the others of their layer, each with the reason. No two files may import each other. */
export const connectedModules: Record<string, string> = {
  apps: "visitors of an app are people with sessions",
  people: "an account is what somebody signs in to",
  "sign-in": "who signs in is a person or a user of an app",
  app: "it composes every module",
  http: "it serves what app composes",
};

/** The layers inside storage/, from the lowest. A module imports from lower layers only. */
export const storageLayers: readonly (readonly string[])[] = [
  ["lib"],
  ["schema"],
  ["tables"],
  ["migrations", "pub-sub"],
  ["database"],
  ["log", "blobs"],
  ["backup", "rollback"],
];

/** The layers inside web/, likewise. `main.ts` is the only file outside the modules. */
export const webLayers: readonly (readonly string[])[] = [
  ["lib", "styles"],
  ["i18n"],
  ["data"],
  ["ui"],
  ["preferences", "selection", "search"],
  ["markdown"],
  ["parts"],
  ["runtime"],
  ["composer"],
  ["panel"],
  ["thread", "sidebar"],
  ["palette"],
  ["screens"],
  ["app", "share"],
  ["main.ts"],
];

/** The list of the texts that are beside the screens that show them. */
export const textLists = { from: /^web\/i18n\/en\/texts\.ts$/, to: /^web\/.*\/texts\/\w+\.ts$/ };

/** The maximum number of source files in a folder, without tests. */
export const filesPerFolderMax = 20;

/** Folders with more files, each with its reason. */
export const largeFolders: Record<string, string> = {
  "contract/endpoints": "one file for each noun of the API",
};

export type RestrictedImport = {
  /** The restricted packages, or names imported from them. */
  packages: RegExp;
  names?: RegExp;
  /** Prefixes of the paths that may import it. */
  onlyIn: readonly string[];
  because: string;
};

export const restrictedImports: readonly RestrictedImport[] = [
  {
    packages: /^commander(\/.*)?$/,
    onlyIn: ["cli/"],
    because: "modules do not know how they are called",
  },
  {
    packages: /^(ai|@ai-sdk\/.*)$/,
    onlyIn: ["server/models/", "client/", "bench/providers/sdk-server.ts"],
    because: "model SDKs change faster than stored messages live",
  },
  {
    packages: /^@assistant-ui\/react$/,
    names: /Runtime|Adapter$/,
    onlyIn: ["web/runtime/", "client/"],
    because: "assistant-ui's runtime may change without notice; its primitives are free to use",
  },
  {
    packages: /^(pg|kysely)(\/.*)?$/,
    onlyIn: ["storage/"],
    because: "the engine is the operator's choice; modules get their queries from storage",
  },
  {
    packages: /^node:sqlite$/,
    onlyIn: ["storage/", "server/transfer/imports/sqlite/child/"],
    because: "the engine is the operator's choice; a stranger's database is read in a confined child process",
  },
  {
    packages: /^prom-client$/,
    onlyIn: ["server/metrics/"],
    because: "modules report what happened and do not know how it is counted",
  },
  {
    packages: /^aws4fetch$/,
    onlyIn: ["storage/blobs/"],
    because: "where bytes are kept is the operator's choice",
  },
  {
    packages: /^(hono|@hono\/.*)(\/.*)?$/,
    onlyIn: ["server/http/"],
    because: "a module pairs endpoints with functions and never sees HTTP",
  },
  {
    packages: /^(@hyzyla\/pdfium|sharp)(\/.*)?$/,
    onlyIn: ["server/pdf/", "server/extraction/pictures/"],
    because: "files of strangers are parsed in a confined child process",
  },
  {
    packages: /^(undici|node:(dns|tls|https|http2|dgram))(\/.*)?$/,
    onlyIn: ["server/fetch/", "server/models/", "fixtures/connect-proxy/"],
    because: "one place checks the address that is really connected to",
  },
  {
    packages: /^node:(net|http)$/,
    names: /^(connect|createConnection|request|get)$/,
    onlyIn: ["server/fetch/", "server/models/", "storage/testing/", "fixtures/"],
    because: "one place checks the address that is really connected to",
  },
];

/** Modules that may import only these packages. Other modules may import any unrestricted package. */
export const onlyPackages: Record<string, { packages: RegExp; because: string }> = {
  contract: {
    packages: /^zod(\/.*)?$/,
    because: "both the browser and the server import it",
  },
};

/** Modules of the contract that the build of the web app replaces by their values: see `vite.config.ts`. */
export const replacedByValues: readonly string[] = [
  "contract/accounts/audit-actions.ts",
  "contract/errors.ts",
  "contract/facts/error-sentences.ts",
  "contract/facts/id-prefixes.ts",
  "contract/form-fields.ts",
  "contract/limits.ts",
  "contract/paths.ts",
];

/** What the browser never loads, and why. */
export const notInBrowser: Record<string, string> = {
  zod: "schemas and their descriptions are larger than the app",
  "contract/facts/nouns.ts": "it has all facts of all nouns; the browser gets only those that it uses",
};

/** Names that only files with these path prefixes may use. */
export const restrictedNames = [
  {
    name: "process.env",
    modules: ["contract", "storage", "server", "web", "cli"],
    // The programs of PostgreSQL get the whole environment.
    onlyIn: ["server/settings/settings.ts", "cli/package/", "storage/database/postgres/client-programs.ts"],
    because: "every setting is in one list, and one message names all that is wrong",
  },
  {
    name: "fetch",
    modules: ["web"],
    onlyIn: ["web/data/"],
    because: "one place handles requests, retries and the session",
  },
  {
    name: "fetch",
    modules: ["server"],
    onlyIn: ["server/models/", "server/fetch/outgoing-fetch.ts"],
    because: "those addresses are the operator's; one that a person gave is read by server/fetch/ alone",
  },
] as const;

/** Places that write tables without owning them. */
export const writesForOthers: Record<string, string> = {
  "storage/backup/": "a restore writes every table",
  "storage/rollback/": "it adds its entry to the audit log of a database that this version must not open",
  "storage/log/": "the log's rows and counters belong to storage itself",
  "storage/migrations/": "migrations make and change every table",
  "storage/tables/": "triggers keep columns of tables whose rows a module writes",
};

/** The maximum number of lines in a file, without tests. */
export const linesPerFileMax = 400;

/** Files that are longer than that, each with its reason. */
export const longFiles: Record<string, string> = {
  "web/i18n/ar/strings.ts": "the strings of a language: one entry for each key, and nothing else",
  "web/i18n/en/strings.ts": "the strings of a language: one entry for each key, and nothing else",
  "contract/errors.ts": "the catalogue: one entry for each failure, and nothing else",
  "tests/endpoints/scenarios.ts": "one row for each endpoint, and nothing else",
};

/** Base names that several files of a module may have: they name the role that a file has in its folder. */
export const roleNames = [
  "endpoints",
  "rows",
  "routes",
  "present",
  "table",
  "repair",
  "erase",
  "main",
  "open",
  "errors",
  // Of each database engine, and of each list of kinds.
  "dialect",
  "kind",
  "kinds",
];

/** Folders with one file for each noun, part kind or language, which may have the name of a file elsewhere. */
export const foldersByNoun =
  /^(contract\/(endpoints|parts)|(server|web)\/parts|storage\/tables|web\/data|web\/i18n|.*\/texts)\//;

/** A file with fewer lines and one importer, in its own folder, is merged into it. */
export const smallFileLines = 40;

/** Files that stay small, each pattern with its reason. So do role names, components with a style sheet, and lazy loads. */
export const keptSmall: { files: RegExp; because: string }[] = [
  {
    files:
      /^((contract|server|web)\/parts|server\/(models\/provider-kinds|tools)|storage\/(migrations|tables)|cli)\//,
    because: "one of a list of kinds",
  },
  { files: /^(web\/i18n|.*\/texts)\//, because: "the texts of one language" },
  { files: /-(worker-)?thread\.ts$/, because: "what runs in a worker thread" },
  { files: /^server\/app\/compose-/, because: "what is composed there belongs together" },
  { files: /^server\/extraction\/office\//, because: "one of the formats of office documents" },
  { files: /^server\/transfer\/imports\/importers\.ts$/, because: "the list of importers" },
  {
    files: /^web\/screens\/tool-servers\/known-servers\.ts$/,
    because: "the catalogue of known tool servers",
  },
  { files: /^server\/settings\//, because: "the schema of the settings would be too long with them" },
  {
    files: /^web\/screens\/shell\//,
    because: "what the shell does besides showing screens, one effect each",
  },
  {
    files: /^web\/screens\/(accounts\/delete-account|settings\/erase-row)\.tsx$/,
    because: "one section of its page",
  },
];
