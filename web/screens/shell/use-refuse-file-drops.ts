import { useEffect } from "react";
import { hasDraggedFiles } from "#web/composer/dragged-files.ts";

/** A file that is dropped where nothing takes files must not be opened in the place of the app. */
export function useRefuseFileDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (!hasDraggedFiles(event) || event.dataTransfer === null || isFileField(event.target)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    // Before whoever takes them, who then says so.
    addEventListener("dragover", refuse, true);
    addEventListener("drop", refuse, true);
    return () => {
      removeEventListener("dragover", refuse, true);
      removeEventListener("drop", refuse, true);
    };
  }, []);
}

/** The browser itself gives files to such a field. */
function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "file";
}
