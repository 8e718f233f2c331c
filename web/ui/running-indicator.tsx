import styles from "./running-indicator.module.css";

/** A pulsing caret: an answer is being written. */
export function RunningIndicator({ tone = "accent" }: { tone?: "accent" | "waiting" }) {
  return <span aria-hidden data-tone={tone} className={styles["pulse"]} />;
}
