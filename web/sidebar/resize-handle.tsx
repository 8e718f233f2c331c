import { t } from "#web/i18n/translate.ts";
import styles from "./resize-handle.module.css";

export const widthMin = 220;
export const widthMax = 440;

/** The edge of the sidebar. Drag it or use the arrow keys; a double click restores the default width. */
export function ResizeHandle({ width, onWidth }: { width: number; onWidth(width: number): void }) {
  const set = (next: number) => onWidth(Math.round(Math.min(widthMax, Math.max(widthMin, next))));
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t("sidebar.resize")}
      aria-valuemin={widthMin}
      aria-valuemax={widthMax}
      aria-valuenow={width}
      tabIndex={0}
      className={styles["handle"]}
      onDoubleClick={() => set(280)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
        set(isRightToLeft ? innerWidth - event.clientX : event.clientX);
      }}
      onKeyDown={(event) => {
        const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
        const wider = isRightToLeft ? "ArrowLeft" : "ArrowRight";
        if (event.key === "ArrowLeft" || event.key === "ArrowRight")
          set(width + (event.key === wider ? 16 : -16));
        else if (event.key === "Home") set(widthMin);
        else if (event.key === "End") set(widthMax);
        else return;
        event.preventDefault();
      }}
    />
  );
}
