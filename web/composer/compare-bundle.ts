/** What is loaded when people choose models to compare. */
export { CompareDialog } from "./compare-dialog.tsx";
export { ComparedNote } from "./compared-note.tsx";
