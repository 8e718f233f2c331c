import { useEffect, useRef, useState } from "react";
import { useAui } from "@assistant-ui/react";
import { hasDraggedFiles } from "./dragged-files.ts";
import { t } from "#web/i18n/translate.ts";
import { attach } from "./attach-button.tsx";
import styles from "./drop-zone.module.css";

/** Those on the page: what is dropped goes to the one that came last, such as a message that is being edited. */
const zones: object[] = [];

/** Takes files that are dropped anywhere on the page into the composer it stands in; says so while they hang above it. */
export function DropZone() {
  const aui = useAui();
  const [isOver, setOver] = useState(false);
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const zone = {};
    zones.push(zone);
    // Over a box above the page one does not see where a file would go.
    const takes = (event: DragEvent) =>
      hasDraggedFiles(event) && zones.at(-1) === zone && document.querySelector("dialog[open]") === null;
    const over = (event: DragEvent) => {
      if (!takes(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!takes(event)) return;
      event.preventDefault();
      if (attach(aui, event.dataTransfer?.files))
        mark.current?.closest("form")?.querySelector("textarea")?.focus({ preventScroll: true });
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      zones.splice(zones.indexOf(zone), 1);
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [aui]);
  return (
    <div ref={mark} className={styles["mark"]}>
      {isOver && (
        <div className={styles["over"]} role="status">
          <p className={styles["words"]}>{t("attach.drop")}</p>
        </div>
      )}
    </div>
  );
}
