import { useEffect, useRef, useState } from "react";
import { useAui } from "@assistant-ui/react";
import { hasDraggedFiles } from "./dragged-files.ts";
import { t } from "#web/i18n/translate.ts";
import { attach } from "./attach-button.tsx";
import styles from "./drop-zone.module.css";

/** The mounted zones. Files are dropped into the last one, such as that of a message being edited. */
const zones: object[] = [];

/** Attaches files that are dropped anywhere on the page to the composer around it. Shows a hint during the drag. */
export function DropZone() {
  const aui = useAui();
  const [isOver, setOver] = useState(false);
  const marker = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const zone = {};
    zones.push(zone);
    // An open dialog hides the composer.
    const accepts = (event: DragEvent) =>
      hasDraggedFiles(event) && zones.at(-1) === zone && document.querySelector("dialog[open]") === null;
    const onDragOver = (event: DragEvent) => {
      if (!accepts(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!accepts(event)) return;
      event.preventDefault();
      if (attach(aui, event.dataTransfer?.files))
        marker.current?.closest("form")?.querySelector("textarea")?.focus({ preventScroll: true });
    };
    addEventListener("dragover", onDragOver);
    addEventListener("dragleave", onDragLeave);
    addEventListener("drop", onDrop);
    return () => {
      zones.splice(zones.indexOf(zone), 1);
      removeEventListener("dragover", onDragOver);
      removeEventListener("dragleave", onDragLeave);
      removeEventListener("drop", onDrop);
    };
  }, [aui]);
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
