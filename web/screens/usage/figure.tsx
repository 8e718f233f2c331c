import type { ReactNode } from "react";
import styles from "./usage-page.module.css";

/** A number with its name, in a `dl`. */
export function Figure({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <div className={styles["figure"]}>
      <dt>{name}</dt>
      <dd>
        <span className={styles["value"]}>{value}</span>
        {children !== undefined && children !== false && <small>{children}</small>}
      </dd>
    </div>
  );
}
