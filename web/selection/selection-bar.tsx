import ListChecks from "lucide-react/icons/list-checks";
import X from "lucide-react/icons/x";
import type { LucideIcon } from "lucide-react";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { Choosing } from "./use-selection.ts";
import styles from "./selection-bar.module.css";

export type BulkAction = { label: string; icon: LucideIcon; tone?: "loss"; run(): void };

/** How many rows are chosen, and what can be done with them all. Esc in it ends the choosing. */
export function SelectionBar({ choosing, actions }: { choosing: Choosing; actions: BulkAction[] }) {
  const count = choosing.chosen.length;
  return (
    // Esc works wherever the focus is in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={t("select.label")}
      className={styles["bar"]}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        choosing.end();
      }}
    >
      <IconButton icon={X} label={t("select.end")} keys={t("key.escape")} onClick={choosing.end} />
      <p role="status" className={styles["count"]}>
        {t("select.count", { count })}
      </p>
      <div className={styles["deeds"]}>
        <IconButton
          icon={ListChecks}
          label={t(choosing.isAll ? "select.none" : "select.all")}
          onClick={choosing.turnAll}
        />
        {actions.map(({ label, icon, tone, run }) => (
          <IconButton
            key={label}
            icon={icon}
            label={label}
            disabled={count === 0}
            className={tone === "loss" ? styles["loss"] : undefined}
            onClick={run}
          />
        ))}
      </div>
    </div>
  );
}
