import { type ReactNode, useState } from "react";
import ChevronRight from "lucide-react/icons/chevron-right";
import { Icon } from "#web/ui/icon.tsx";
import styles from "./disclosure.module.css";

/** A line that expands. The content mounts when it is expanded. */
export function Disclosure({
  line,
  tone,
  children,
}: {
  line: ReactNode;
  tone?: "running" | "danger" | undefined;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div data-disclosure className={styles["fold"]} data-tone={tone}>
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
