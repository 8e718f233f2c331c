import { useMemo, useRef, useState } from "react";
import { Button } from "#web/ui/button.tsx";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";
import { t } from "#web/i18n/translate.ts";
import { CodeView } from "../code-view.tsx";
import { diagramPage } from "./diagram-page.ts";
import { mermaid } from "./mermaid.ts";
import { ProgramFrame } from "./program-frame.tsx";
import { useProgram } from "./use-program.ts";
import styles from "./program.module.css";

/** A Mermaid diagram, drawn in the same closed frame as programs. A diagram that takes too long is shown as its code. */
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
  const source = useMemo(() => loaded && diagramPage(code, loaded.library), [loaded, code]);
  if (hasFailed || isStopped)
    return (
      <>
        <div className={styles["problem"]} role="alert">
          {hasFailed ? <MissingPiece module={mermaid} /> : t("program.tooLong")}
        </div>
        <CodeView code={code} language="mermaid" isOpen={false} />
      </>
    );
  if (source === undefined) return null;
  return <Drawing source={source} name={name} onFix={onFix} onStop={() => setStopped(true)} />;
}

function Drawing({
  source,
  name,
  onFix,
  onStop,
}: {
  source: string;
  name: string;
  onFix: ((error: string) => void) | undefined;
  onStop(): void;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { entries, onLoad } = useProgram(frame, source, onStop, false);
  const error = entries.findLast(({ level }) => level === "error")?.text;
  return (
    <>
      <ProgramFrame ref={frame} name={name} onLoad={onLoad} />
      {error !== undefined && (
        <div className={styles["problem"]} role="alert">
          <pre dir="ltr">{error}</pre>
          {onFix !== undefined && <Button onClick={() => onFix(error)}>{t("program.fix")}</Button>}
        </div>
      )}
    </>
  );
}
