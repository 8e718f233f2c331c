/** Whether files are dragged, and not text. */
export function hasDraggedFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") === true;
}
