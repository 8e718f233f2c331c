import { useEffect } from "react";
import { hasDraggedFiles } from "#web/composer/dragged-files.ts";

/** Stops the browser from opening a file that is dropped outside a drop zone. */
export function useRefuseFileDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (!hasDraggedFiles(event) || event.dataTransfer === null || isFileField(event.target)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    // In the capture phase, so that a drop zone can accept the files afterwards.
    addEventListener("dragover", refuse, true);
    addEventListener("drop", refuse, true);
    return () => {
      removeEventListener("dragover", refuse, true);
      removeEventListener("drop", refuse, true);
    };
  }, []);
}

/** Browsers handle drops on file inputs. */
function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "file";
}
