import { type ReactNode, useState } from "react";
import ChevronRight from "lucide-react/icons/chevron-right";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./disclosure.module.css";

/** One line that opens. What is inside is made when it is opened. */
export function Fold({
  line,
  tone,
  children,
}: {
  line: ReactNode;
  tone?: "running" | "loss" | undefined;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles["fold"]} data-tone={tone}>
      <button
        type="button"
        aria-expanded={isOpen}
        className={styles["line"]}
        onClick={() => setOpen(!isOpen)}
      >
        {line}
        <span className={styles["chevron"]}>
          <Icon of={ChevronRight} size={14} />
        </span>
      </button>
      {isOpen && <div className={styles["inside"]}>{children}</div>}
    </div>
  );
}
