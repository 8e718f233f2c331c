import { useId, useState } from "react";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { Summary } from "#contract/endpoints/summaries.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { LazyOpenedSummary } from "./lazy-opened-summary.tsx";
import styles from "./summary-line.module.css";

/**
 * The line below the last message that a summary covers. It expands to the text, which can be edited and removed. It is
 * not a message, and exports do not contain it.
 */
export function SummaryLine({ summary }: { summary: Summary }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <section className={styles["summary"]} aria-label={t("summary.line", { count: summary.message_count })}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className={styles["line"]}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{t("summary.line", { count: summary.message_count })}</span>
        <span className={styles["chevron"]}>
          <Icon of={ChevronRight} size={14} />
        </span>
      </button>
      {isOpen && (
        <div id={id} className={styles["inside"]}>
          <LazyOpenedSummary summary={summary} />
        </div>
      )}
    </section>
  );
}
