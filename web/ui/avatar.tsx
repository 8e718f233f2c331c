import type { Avatar as Look } from "#contract/endpoints/assistants.ts";
import styles from "./avatar.module.css";

/** A letter or an emoji on a colour. Hidden from screen readers, because the name is beside it. */
export function Avatar({ look, size = "small" }: { look: Look; size?: "small" | "medium" | "large" }) {
  return (
    <span aria-hidden data-size={size} data-colour={look.colour} className={styles["avatar"]}>
      {look.text}
    </span>
  );
}
