import type { ReactNode } from "react";
import styles from "./skeleton.module.css";

/**
 * A placeholder for content that is loading, with `label` for screen readers. It appears after 200 ms, so that content
 * that loads at once does not flicker.
 */
export function Skeleton({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="status" aria-label={label} className={styles["skeleton"]}>
      {children}
    </div>
  );
}

/** One line of a skeleton, `width` in percent. */
export function SkeletonLine({ width, height }: { width: number; height?: string }) {
  return (
    <span
      className={styles["line"]}
      style={{ inlineSize: `${width}%`, ...(height === undefined ? {} : { blockSize: height }) }}
    />
  );
}
