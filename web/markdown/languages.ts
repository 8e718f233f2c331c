/** How a language's short names are written out; others are shown as the answer spells them. */
const names: Record<string, string> = {
  bash: "Bash", sh: "Shell", shell: "Shell", zsh: "Shell", console: "Console",
  c: "C", cpp: "C++", "c++": "C++", cs: "C#", csharp: "C#", css: "CSS", scss: "SCSS", less: "Less",
  diff: "Diff", patch: "Diff", docker: "Dockerfile", dockerfile: "Dockerfile", go: "Go", golang: "Go", graphql: "GraphQL",
  html: "HTML", xml: "XML", svg: "SVG", vue: "Vue", ini: "INI", toml: "TOML", java: "Java", kotlin: "Kotlin", kt: "Kotlin",
  js: "JavaScript", javascript: "JavaScript", mjs: "JavaScript", jsx: "JSX", ts: "TypeScript", typescript: "TypeScript", tsx: "TSX",
  json: "JSON", jsonc: "JSON", lua: "Lua", make: "Makefile", makefile: "Makefile", md: "Markdown", markdown: "Markdown",
  objectivec: "Objective-C", perl: "Perl", php: "PHP", py: "Python", python: "Python", r: "R", rb: "Ruby", ruby: "Ruby",
  rs: "Rust", rust: "Rust", sql: "SQL", swift: "Swift", vb: "VB.NET", wasm: "WebAssembly", yaml: "YAML", yml: "YAML",
  text: "Text", txt: "Text", plaintext: "Text",
};

/** The name to show for a fence's language; `undefined` when it names none. */
export function languageName(language: string): string | undefined {
  if (language === "") return undefined;
  return Object.hasOwn(names, language.toLowerCase()) ? names[language.toLowerCase()] : language;
}
