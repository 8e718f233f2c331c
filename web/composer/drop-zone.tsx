import { useEffect, useRef, useState } from "react";
import { hasDraggedFiles } from "./dragged-files.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { t } from "#web/i18n/translate.ts";
import { useAttach } from "./attach-button.tsx";
import styles from "./drop-zone.module.css";

/** The mounted zones. Files are dropped into the last one, such as that of a message being edited. */
const zones: object[] = [];

/** Attaches files that are dropped anywhere on the page to the composer around it. Shows a hint during the drag. */
export function DropZone() {
  const attach = useAttach();
  const [isOver, setOver] = useState(false);
  const marker = useRef<HTMLDivElement>(null);
  const [zone] = useState(() => ({}));
  useEffect(() => {
    zones.push(zone);
    return () => void zones.splice(zones.indexOf(zone), 1);
  }, [zone]);
  // An open dialog hides the composer.
  const accepts = (event: DragEvent) =>
    hasDraggedFiles(event) && zones.at(-1) === zone && document.querySelector("dialog[open]") === null;
  useWindowEvent("dragover", (event) => {
    if (!accepts(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "copy";
    setOver(true);
  });
  useWindowEvent("dragleave", (event) => {
    if (event.relatedTarget === null) setOver(false);
  });
  useWindowEvent("drop", (event) => {
    setOver(false);
    if (!accepts(event)) return;
    event.preventDefault();
    if (attach(event.dataTransfer?.files))
      marker.current?.closest("form")?.querySelector("textarea")?.focus({ preventScroll: true });
  });
  return (
    <div ref={marker} className={styles["mark"]}>
      {isOver && (
        <div className={styles["over"]} role="status">
          <p className={styles["words"]}>{t("attach.drop")}</p>
        </div>
      )}
    </div>
  );
}
