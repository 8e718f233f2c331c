import { type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { DiagramProps } from "#web/markdown/code/artifact-opener-context.ts";
import { t } from "#web/i18n/translate.ts";
import { diagramMarks, diagramPage } from "./diagram-page.ts";
import { mermaid } from "./mermaid.ts";
import { SandboxFrame } from "./sandbox-frame.tsx";
import { useIsDarkDiagram } from "./use-is-dark-diagram.ts";
import { useProgram } from "./use-program.ts";
import styles from "./program.module.css";

/** A diagram within an answer, drawn while it is near the window: each one has a process of the browser. */
export function InlineDiagram({ code, onChange }: DiagramProps) {
  const box = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(box);
  const loaded = mermaid.use();
  useEffect(() => {
    if (isNear) void mermaid.load();
  }, [isNear]);
  const isDark = useIsDarkDiagram(code);
  const source = useMemo(
    () =>
      isNear && loaded !== undefined && loaded !== "failed"
        ? diagramPage(code, loaded.library, { isDark, fits: true })
        : undefined,
    [isNear, loaded, code, isDark],
  );
  return (
    <div ref={box} className={styles["inline"]}>
      {source !== undefined && (
        <Drawing key={String(isDark)} source={source} isDark={isDark} onChange={onChange} />
      )}
    </div>
  );
}

function Drawing({
  source,
  isDark,
  onChange,
}: {
  source: string;
  isDark: boolean;
  onChange: DiagramProps["onChange"];
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { entries, onLoad } = useProgram(frame, source, () => onChange("stopped"), false);
  // Not each error: a label with a picture is drawn without it.
  const hasFailed = entries.some(({ text }) => text === diagramMarks.failed);
  const isDrawn = entries.some(({ text }) => text === diagramMarks.drawn);
  const report = useEffectEvent(onChange);
  useEffect(() => {
    if (hasFailed) report("failed");
    else if (isDrawn) report("drawn");
  }, [hasFailed, isDrawn]);
  useEffect(() => () => report("away"), []);
  return (
    <div className={styles["drawing"]} data-drawn={isDrawn || undefined}>
      <SandboxFrame ref={frame} name={t("code.diagram")} isDark={isDark} onLoad={onLoad} />
    </div>
  );
}

/** Whether an element is at most half a window away from what is visible. */
function useIsNear(box: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: "50% 0px" },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, [box]);
  return isNear;
}
