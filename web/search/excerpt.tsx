import type { SearchExcerpt } from "#contract/endpoints/search.ts";
import styles from "./excerpt.module.css";

/** An excerpt of a search result with its hits marked. */
export function Excerpt({ pieces, className }: { pieces: SearchExcerpt; className?: string | undefined }) {
  return (
    <span dir="auto" className={className}>
      {pieces.map(({ text, hit }, index) =>
        // The order never changes, so the index is a stable key.
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
