/** What the panel can show of a fenced block besides its code. */
export type ArtifactKind = "html" | "svg" | "mermaid" | "csv" | "markdown" | "react" | "code";

const kinds: Record<string, ArtifactKind> = {
  html: "html",
  htm: "html",
  svg: "svg",
  mermaid: "mermaid",
  csv: "csv",
  tsv: "csv",
  md: "markdown",
  markdown: "markdown",
  jsx: "react",
  tsx: "react",
};

/** Shorter code is read where it is. */
export const codeLinesMin = 15;

export function artifactKind(language: string, code: string): ArtifactKind {
  const name = language.toLowerCase();
  if (name === "xml" && /^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/.test(code)) return "svg";
  return Object.hasOwn(kinds, name) ? kinds[name]! : "code";
}

/** Whether the panel opens such a block. */
export function isArtifact(language: string, code: string): boolean {
  return artifactKind(language, code) !== "code" || isLong(code);
}

/** Whether `code` has at least `codeLinesMin` lines. */
export function isLong(code: string): boolean {
  let at = -1;
  for (let lines = 1; lines < codeLinesMin; lines++) {
    at = code.indexOf("\n", at + 1);
    if (at === -1) return false;
  }
  return true;
}

const extensions: Record<string, string> = {
  bash: "sh",
  c: "c",
  "c#": "cs",
  "c++": "cpp",
  css: "css",
  csv: "csv",
  diff: "diff",
  dockerfile: "dockerfile",
  go: "go",
  graphql: "graphql",
  html: "html",
  ini: "ini",
  java: "java",
  javascript: "js",
  json: "json",
  jsx: "jsx",
  kotlin: "kt",
  less: "less",
  lua: "lua",
  markdown: "md",
  mermaid: "mmd",
  perl: "pl",
  php: "php",
  python: "py",
  r: "r",
  ruby: "rb",
  rust: "rs",
  scss: "scss",
  shell: "sh",
  sql: "sql",
  svg: "svg",
  swift: "swift",
  toml: "toml",
  tsv: "tsv",
  tsx: "tsx",
  typescript: "ts",
  xml: "xml",
  yaml: "yaml",
};

/** The file extension of a language, by its display name. */
export function extensionOf(languageName: string): string {
  const name = languageName.toLowerCase();
  return Object.hasOwn(extensions, name) ? extensions[name]! : "txt";
}
