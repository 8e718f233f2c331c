import styles from "./pulse.module.css";

/** The sign that something is being written: a caret that breathes. Its words, if any, stand beside it. */
export function Pulse({ tone = "accent" }: { tone?: "accent" | "waiting" }) {
  return <span aria-hidden data-tone={tone} className={styles["pulse"]} />;
}
