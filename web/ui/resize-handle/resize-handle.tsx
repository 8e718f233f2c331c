import styles from "./resize-handle.module.css";

/** Widths in CSS pixels. */
export type Widths = { min: number; max: number; default: number };

/** The edge of an area. Drag it or use the arrow keys; a double click restores the default width. */
export function ResizeHandle({
  label,
  side = "end",
  widths,
  width,
  onWidth,
}: {
  label: string;
  /** The side of the area that it is at. */
  side?: "start" | "end";
  widths: Widths;
  width: number;
  onWidth(width: number): void;
}) {
  const set = (next: number) => onWidth(Math.round(Math.min(widths.max, Math.max(widths.min, next))));
  /** Whether the area is to the left of the handle. */
  const isAtRight = (element: Element) =>
    (side === "end") === (getComputedStyle(element).direction === "ltr");
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={widths.min}
      aria-valuemax={widths.max}
      aria-valuenow={width}
      tabIndex={0}
      data-side={side}
      className={styles["handle"]}
      onDoubleClick={() => set(widths.default)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const { currentTarget: handle, clientX } = event;
        if (!handle.hasPointerCapture(event.pointerId)) return;
        const area = handle.parentElement?.getBoundingClientRect();
        if (area !== undefined) set(isAtRight(handle) ? clientX - area.left : area.right - clientX);
      }}
      onKeyDown={(event) => {
        const wider = isAtRight(event.currentTarget) ? "ArrowRight" : "ArrowLeft";
        if (event.key === "ArrowLeft" || event.key === "ArrowRight")
          set(width + (event.key === wider ? 16 : -16));
        else if (event.key === "Home") set(widths.min);
        else if (event.key === "End") set(widths.max);
        else return;
        event.preventDefault();
      }}
    />
  );
}
