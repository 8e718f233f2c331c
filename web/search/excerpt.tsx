import type { SearchExcerpt } from "#contract/endpoints/search.ts";
import styles from "./excerpt.module.css";

/** A piece of what was found, with each hit marked. */
export function Excerpt({ pieces, className }: { pieces: SearchExcerpt; className?: string | undefined }) {
  return (
    <span dir="auto" className={className}>
      {pieces.map(({ text, hit }, index) =>
        // The pieces of one excerpt never change their order.
        hit ? (
          <mark key={index} className={styles["hit"]}>
            {text}
          </mark>
        ) : (
          <span key={index}>{text}</span>
        ),
      )}
    </span>
  );
}
