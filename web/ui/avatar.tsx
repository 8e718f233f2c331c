import type { Avatar as Look } from "#contract/assistants.ts";
import styles from "./avatar.module.css";

/** A letter or an emoji on its colour; for the eye only, the name stands beside it. */
export function Avatar({ look, size = "small" }: { look: Look; size?: "small" | "medium" | "large" }) {
  return (
    <span aria-hidden data-size={size} data-colour={look.colour} className={styles["avatar"]}>
      {look.text}
    </span>
  );
}
