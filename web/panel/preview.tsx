import { useMemo } from "react";
import type { Artifact, ArtifactVersion } from "#contract/artifacts/artifacts.ts";
import { useRenderer } from "#web/markdown/lazy-markdown.ts";
import { t } from "#web/i18n/translate.ts";
import { Diagram } from "./program/diagram.tsx";
import { Program } from "./program/program.tsx";
import { ReactProgram } from "./program/react/react-program.tsx";
import { CodeView } from "./code-view.tsx";
import { CsvTable } from "./csv/csv-table.tsx";
import { isDrawable, withNamespace } from "./svg.ts";
import styles from "./panel.module.css";

/** Whether an artifact can be shown as more than its code. */
export function canPreview({ kind }: Artifact): boolean {
  return kind !== "code";
}

/** Whether a preview has more than the version: a program runs in it, or a table is sorted. */
export function keepsState({ kind }: Artifact): boolean {
  return kind === "html" || kind === "react" || kind === "csv";
}

export function Preview({
  artifact,
  version,
  name,
  onFix,
}: {
  artifact: Artifact;
  version: ArtifactVersion;
  name: string;
  /** Asks the model to fix what a program reports. */
  onFix: ((error: string) => void) | undefined;
}) {
  switch (artifact.kind) {
    case "html":
      return <Program key={version.code} source={version.code} name={name} onFix={onFix} />;
    case "react":
      return (
        <ReactProgram
          key={version.code}
          code={version.code}
          language={artifact.language}
          name={name}
          onFix={onFix}
        />
      );
    case "mermaid":
      return <Diagram key={version.code} code={version.code} name={name} onFix={onFix} />;
    case "csv":
      return <CsvTable text={version.code} name={name} />;
    case "markdown":
      return <MarkdownPreview text={version.code} isRunning={!version.isClosed} />;
    case "svg":
      return <SvgPreview code={version.code} name={name} />;
    default:
      return null;
  }
}

function MarkdownPreview({ text, isRunning }: { text: string; isRunning: boolean }) {
  const Markdown = useRenderer();
  return (
    // The keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles["page"]} tabIndex={0} role="region" aria-label={t("panel.preview")}>
      {Markdown === undefined ? text : <Markdown text={text} isRunning={isRunning} />}
    </div>
  );
}

/** As an image, an SVG runs no script and loads nothing. */
function SvgPreview({ code, name }: { code: string; name: string }) {
  const canDraw = useMemo(() => isDrawable(code), [code]);
  if (!canDraw) return <CodeView code={code} language="svg" isOpen={false} />;
  return (
    <div className={styles["picture"]}>
      <img src={`data:image/svg+xml,${encodeURIComponent(withNamespace(code).toWellFormed())}`} alt={name} />
    </div>
  );
}
