import { useMemo } from "react";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { readOwnFile } from "#web/data/own-file.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { CodeView } from "../../code-view.tsx";
import { inlineScript, inScript } from "../in-script.ts";
import { Program } from "../program.tsx";
import styles from "../program.module.css";

/** A React component, which runs in the sandboxed frame on request. */
export function ReactProgram({
  code,
  language,
  name,
  onFix,
}: {
  code: string;
  language: string;
  name: string;
  onFix: ((error: string) => void) | undefined;
}) {
  const loaded = useLoaded(reactScript);
  const hasFailed = reactScript.use() === "failed";
  const source = useMemo(() => loaded && reactPage(code, loaded.script), [loaded, code]);
  if (hasFailed)
    return (
      <>
        <div className={styles["problem"]} role="alert">
          <MissingPiece module={reactScript} />
        </div>
        <CodeView code={code} language={language} isOpen={false} />
      </>
    );
  return source === undefined ? null : <Program source={source} name={name} onFix={onFix} />;
}

function reactPage(code: string, script: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<style>body { margin: 0; padding: 16px; font-family: system-ui, sans-serif }</style>
<div id="root"></div>
<script data-library>${inlineScript(script)}</script>
<script>runReact(${inScript(code)});</script>`;
}

/** The script that compiles and runs React programs, with React. It is built like a worker: one file without imports. */
const reactScript = createLazyModule(
  async () => {
    const { default: url } = await import("./react-runtime.ts?worker&url");
    return { script: await readOwnFile(url) };
  },
  (module) => module,
);
