import { inlineScript, inScript } from "./in-script.ts";

/** What the page prints at the end. */
export const diagramMarks = { drawn: "drawn", failed: "failed" } as const;

/** The page that draws a Mermaid diagram in a frame. `library`: Mermaid's script. `fits`: the whole diagram is visible. */
export function diagramPage(
  code: string,
  library: string,
  { isDark, fits = false }: { isDark: boolean; fits?: boolean },
): string {
  return `<!doctype html>
<meta charset="utf-8">
<style>
  :root { color-scheme: ${isDark ? "dark" : "light"} }
  body { margin: 0; padding: 16px; display: grid; place-items: center; min-height: calc(100vh - 32px); font-family: sans-serif }
  svg { max-width: 100%; height: auto }${fits ? "\n  body { overflow: hidden }\n  svg { max-height: calc(100vh - 32px) }" : ""}
</style>
<body>
<script>${inlineScript(library)}</script>
<script>
  mermaid.initialize({ startOnLoad: false, ${isDark ? `theme: "dark", ` : ""}securityLevel: "strict", suppressErrorRendering: true });
  mermaid.render("diagram", ${inScript(code)}).then(
    ({ svg }) => { document.body.innerHTML = svg; console.info(${inScript(diagramMarks.drawn)}) },
    (error) => { console.error(String(error.message ?? error)); console.info(${inScript(diagramMarks.failed)}) },
  );
</script>`;
}
