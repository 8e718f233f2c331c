import ListChecks from "lucide-react/icons/list-checks";
import X from "lucide-react/icons/x";
import type { LucideIcon } from "lucide-react";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { RowSelection } from "./use-selection.ts";
import styles from "./selection-bar.module.css";

export type BulkAction = { label: string; icon: LucideIcon; tone?: "danger"; run(): void };

/** The number of selected rows and the actions on them. Esc stops selecting. */
export function SelectionBar({ selection, actions }: { selection: RowSelection; actions: BulkAction[] }) {
  const count = selection.selected.length;
  return (
    // Key events of the buttons bubble to the bar.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={t("select.label")}
      className={styles["bar"]}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        selection.stop();
      }}
    >
      <IconButton icon={X} label={t("select.end")} keys={t("key.escape")} onClick={selection.stop} />
      <p role="status" className={styles["count"]}>
        {t("select.count", { count })}
      </p>
      <div className={styles["actions"]}>
        <IconButton
          icon={ListChecks}
          label={t(selection.isAll ? "select.none" : "select.all")}
          onClick={selection.toggleAll}
        />
        {actions.map(({ label, icon, tone, run }) => (
          <IconButton
            key={label}
            icon={icon}
            label={label}
            disabled={count === 0}
            tone={tone}
            onClick={run}
          />
        ))}
      </div>
    </div>
  );
}
