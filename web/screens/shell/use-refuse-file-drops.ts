import { hasDraggedFiles } from "#web/composer/dragged-files.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";

/** Stops the browser from opening a file that is dropped outside a drop zone. */
export function useRefuseFileDrops(): void {
  const refuse = (event: DragEvent) => {
    if (!hasDraggedFiles(event) || event.dataTransfer === null || isFileField(event.target)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  };
  // In the capture phase, so that a drop zone can accept the files afterwards.
  useWindowEvent("dragover", refuse, { capture: true });
  useWindowEvent("drop", refuse, { capture: true });
}

/** Browsers handle drops on file inputs. */
function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "file";
}
