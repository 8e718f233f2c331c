import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { Button } from "#web/ui/button.tsx";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { t } from "#web/i18n/translate.ts";
import { CodeView } from "../code-view.tsx";
import { diagramMarks, diagramPage } from "./diagram-page.ts";
import { mermaid } from "./mermaid.ts";
import { SandboxFrame } from "./sandbox-frame.tsx";
import { useIsDarkDiagram } from "./use-is-dark-diagram.ts";
import { useProgram } from "./use-program.ts";
import styles from "./program.module.css";

/** A Mermaid diagram, drawn in the same sandboxed frame as programs. One that fails or takes too long is shown as its code. */
export function Diagram({
  code,
  name,
  onFix,
}: {
  code: string;
  name: string;
  onFix: ((error: string) => void) | undefined;
}) {
  const loaded = useLoaded(mermaid);
  const hasFailed = mermaid.use() === "failed";
  const [isStopped, setStopped] = useState(false);
  const [error, setError] = useState<string>();
  const isDark = useIsDarkDiagram(code);
  const source = useMemo(
    () => loaded && diagramPage(code, loaded.library, { isDark }),
    [loaded, code, isDark],
  );
  if (hasFailed || isStopped || error !== undefined)
    return (
      <>
        {error !== undefined ? (
          <Problem error={error} onFix={onFix} />
        ) : (
          <div className={styles["problem"]} role="alert">
            {hasFailed ? <MissingPiece module={mermaid} /> : t("program.tooLong")}
          </div>
        )}
        <CodeView code={code} language="mermaid" isOpen={false} />
      </>
    );
  if (source === undefined) return null;
  return (
    <Drawing
      key={String(isDark)}
      source={source}
      isDark={isDark}
      name={name}
      onFix={onFix}
      onStop={() => setStopped(true)}
      onFail={(text) => setError(text)}
    />
  );
}

function Drawing({
  source,
  isDark,
  name,
  onFix,
  onStop,
  onFail,
}: {
  source: string;
  isDark: boolean;
  name: string;
  onFix: ((error: string) => void) | undefined;
  onStop(): void;
  onFail(error: string): void;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { entries, onLoad } = useProgram(frame, source, onStop, false);
  const error = entries.findLast(({ level }) => level === "error")?.text;
  const hasFailed = entries.some(({ text }) => text === diagramMarks.failed);
  const fail = useEffectEvent(() => onFail(error ?? ""));
  useEffect(() => {
    if (hasFailed) fail();
  }, [hasFailed]);
  return (
    <>
      <SandboxFrame ref={frame} name={name} isDark={isDark} onLoad={onLoad} />
      {/* A label with a picture is drawn without it. */}
      {error !== undefined && !hasFailed && <Problem error={error} onFix={onFix} />}
    </>
  );
}

function Problem({ error, onFix }: { error: string; onFix: ((error: string) => void) | undefined }) {
  return (
    <div className={styles["problem"]} role="alert">
      <pre dir="ltr">{error}</pre>
      {onFix !== undefined && <Button onClick={() => onFix(error)}>{t("program.fix")}</Button>}
    </div>
  );
}
