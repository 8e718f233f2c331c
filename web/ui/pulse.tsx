import styles from "./pulse.module.css";

/** A pulsing caret: an answer is being written. */
export function Pulse({ tone = "accent" }: { tone?: "accent" | "waiting" }) {
  return <span aria-hidden data-tone={tone} className={styles["pulse"]} />;
}
