/** Whether the drag has files, not text. */
export function hasDraggedFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") === true;
}
