import { useEffect, useState } from "react";
import { useAui } from "@assistant-ui/react";
import { t } from "#web/words/words.ts";
import { attach } from "./attach-button.tsx";
import styles from "./drop-zone.module.css";

/** Takes files that are dropped anywhere on the page into the composer; says so while they hang above it. */
export function DropZone() {
  const aui = useAui();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const bringsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent) => {
      if (!bringsFiles(event)) return;
      // Without it the browser would leave the page for the file.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!bringsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (attach(aui, event.dataTransfer?.files))
        document.querySelector<HTMLTextAreaElement>("form textarea")?.focus({ preventScroll: true });
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [aui]);
  return isOver ? (
    <div className={styles["over"]} role="status">
      <p className={styles["words"]}>{t("attach.drop")}</p>
    </div>
  ) : null;
}
